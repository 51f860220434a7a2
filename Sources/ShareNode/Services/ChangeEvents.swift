import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Tells those who watch what is done to records and forms.
struct ChangeEvents: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let schemas: SchemaCache
    let watch: WatchHub

    /// Tells what a merge has brought.
    func tell(_ report: MergeReport, in room: OpenRoom) async {
        var authorNames: [DeviceKey: NamedDevice] = [:]
        let authors =
            report.changes.records.map(\.author) + report.changes.refused.map(\.author)
            + report.outcomes.map(\.log.author)
        for author in Set(authors) { authorNames[author] = await names.named(author) }
        for event in WatchEvents.received(report, authorNames, own: own.key) {
            tell(event, in: room)
        }
        let records = report.changes.records
        for (index, news) in records.enumerated() {
            let author =
                authorNames[news.author]
                ?? NamedDevice(id: news.author.text, name: news.author.short)
            let later = records[(index + 1)...].count {
                $0.record == news.record && $0.author == news.author && $0.kind == news.kind
            }
            tell(await event(news, by: author, in: room, later: later), in: room)
        }
        for event in WatchEvents.refused(report.changes, authorNames) { tell(event, in: room) }
        for conflict in report.changes.conflicts {
            let detail = try? await room.store.detail(of: conflict.record)
            let key = if let detail { await key(of: detail, in: room) } else { String?.none }
            tell(WatchEvents.conflict(in: conflict, key: key), in: room)
        }
        if let event = WatchEvents.moreConflicts(report.changes) { tell(event, in: room) }
        // A repeat changes with the form that it is in.
        for form in report.changes.changedForms
        where FormDefinition.parentForm(of: form) == nil {
            tellForm(form, await room.store.form(form)?.form.version, in: room)
        }
    }

    /// Tells what was done to a record here.
    func tell(_ news: RecordEffect, in room: OpenRoom) async {
        guard watch.isWatched else { return }
        tell(await event(news, by: await names.named(news.author), in: room), in: room)
    }

    /// So many operations on a record are looked through for the one that is told of.
    private static let lookedThrough = 200

    /// With the record's key, and of an edit with what it has changed.
    ///
    /// - Parameter later: how many edits of the same record by the same author follow.
    private func event(
        _ news: RecordEffect, by author: NamedDevice, in room: OpenRoom, later: Int = 0
    ) async -> WatchEvent {
        var event = WatchEvents.news(news, by: author)
        guard let record = news.record, let detail = try? await room.store.detail(of: record)
        else { return event }
        let schema = schemas.schema(of: detail.form)
        event.key = await key(of: detail, in: room)
        guard news.kind == .edit else { return event }
        let history = try? await room.store.history(of: record, limit: Self.lookedThrough)
        let edits = (history ?? []).filter { $0.author == news.author && $0.kind == news.kind }
        // Of very many changes some are only counted: then another edit would stand in its place.
        if let edit = edits.dropLast(later).last,
            edit.changes.allSatisfy({ news.fields.contains($0.field.name) })
        {
            event.changes = edit.changes.map {
                schema.shown($0.field, from: $0.before, to: $0.after)
            }
        }
        return event
    }

    /// What people call a record; a row by the name of its entry.
    private func key(of detail: RecordDetail, in room: OpenRoom) async -> String? {
        let entry = detail.form.form.isRepeat ? try? await room.store.entry(above: detail) : nil
        let named = entry ?? detail
        return schemas.schema(of: named.form).name(of: named.values)
    }

    /// Tells that a form has another definition now, or none.
    func tellForm(_ form: String, _ version: String?, in room: OpenRoom) {
        tell(
            WatchEvent(
                event: "form_changed", form: form,
                text: version.map { "form \(form) has version \($0) now" }
                    ?? "form \(form) is not there any more"), in: room)
    }

    private func tell(_ event: WatchEvent, in room: OpenRoom) {
        var event = event
        event.room = room.name
        watch.tell(event)
    }
}

/// Events about records, put together without their room.
enum WatchEvents {
    /// The entries received of each author but this device.
    static func received(
        _ report: MergeReport, _ names: [DeviceKey: NamedDevice], own: DeviceKey
    ) -> [WatchEvent] {
        let stored = Dictionary(
            grouping: report.outcomes.filter { $0.fate == .stored && $0.log.author != own },
            by: \.log.author)
        return stored.sorted { $0.key < $1.key }.map { author, outcomes in
            let count = outcomes.reduce(0) { $0 + $1.accepted + $1.waiting + $1.refused }
            let waiting = outcomes.reduce(0) { $0 + $1.waiting }
            let name = names[author]?.name ?? author.short
            return WatchEvent(
                event: "received", peer: names[author], count: count,
                text: "received \(EntryWords.anyChanges(count)) of \(name)"
                    + (waiting > 0
                        ? ", \(waiting) of them waiting for what has not arrived yet" : ""))
        }
    }

    static func news(_ news: RecordEffect, by author: NamedDevice) -> WatchEvent {
        let isOne = news.count == 1
        let kind =
            news.form.contains("/") ? isOne ? "row" : "rows" : isOne ? "entry" : "entries"
        let entries =
            news.record.map { "\(news.form) entry \($0.id.text.suffix(8))" }
            ?? "\(news.count) \(news.form) \(kind)"
        let what =
            switch news.kind {
            case .put: "added \(entries)"
            case .edit:
                "changed "
                    + (news.fields.isEmpty ? "" : news.fields.joined(separator: ", ") + " of ")
                    + entries
            case .delete: "deleted \(entries)"
            case .restore: "brought back \(entries)"
            case .review: "reviewed \(entries)" + (news.state.map { ": \($0)" } ?? "")
            case .comment: "commented on \(entries)"
            }
        return WatchEvent(
            event: name(of: news.kind), peer: author, form: news.form,
            record: news.record?.id.text, fields: news.fields.isEmpty ? nil : news.fields,
            count: news.count, text: "\(author.name) \(what)")
    }

    private static func name(of kind: RecordsBlock.Kind) -> String {
        switch kind {
        case .put: "added"
        case .edit: "edited"
        case .delete: "deleted"
        case .restore: "restored"
        case .review: "reviewed"
        case .comment: "commented"
        }
    }

    static func refused(
        _ news: RoomChanges, _ names: [DeviceKey: NamedDevice]
    ) -> [WatchEvent] {
        news.refused.map { refused in
            let name = names[refused.author]?.name ?? refused.author.short
            return WatchEvent(
                event: "refused", peer: names[refused.author], count: refused.count,
                reason: refused.refusal.rawValue,
                text: "refused \(EntryWords.anyChanges(refused.count)) of \(name): shared refused"
            )
        }
    }

    /// - Parameter key: what people call the entry.
    static func conflict(in conflict: ArisenConflict, key: String?) -> WatchEvent {
        let fields = conflict.fields.map(\.shownName)
        let short = conflict.record.id.text.suffix(8)
        let entry = key.map { "\($0) (\(short))" } ?? "entry \(short)"
        return WatchEvent(
            event: "conflict", form: conflict.record.form, record: conflict.record.id.text,
            key: key, fields: fields, count: 1,
            text: "conflict in \(fields.joined(separator: ", ")) of \(conflict.record.form)"
                + " \(entry): shared conflicts")
    }

    /// That there are conflicts which are not told one by one.
    static func moreConflicts(_ news: RoomChanges) -> WatchEvent? {
        guard news.moreConflicts > 0 else { return nil }
        return WatchEvent(
            event: "conflict", count: news.moreConflicts,
            text: "conflicts in \(news.moreConflicts) more entries: shared conflicts")
    }
}

extension RecordField {
    /// The name under which conflicts show it.
    var shownName: String {
        switch self {
        case .field(let field): field.name
        case .deleted: "_deleted"
        case .reviewState: "_state"
        }
    }
}
