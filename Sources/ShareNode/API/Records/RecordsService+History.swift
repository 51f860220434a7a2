import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Histories of records.
extension RecordsService {
    /// Operations that a history shows where no other number is asked for.
    private static let historyLimit = 1_000

    /// The operations on a record, also a deleted one, oldest first.
    func history(
        _ entry: EntrySelector, in room: OpenRoom, _ query: HTTPFields
    ) async throws -> [HistoryEntry] {
        let name = try await name(entry, in: room, for: .look(deleted: true))
        guard let info = await room.store.form(name.form) else {
            throw StoreError.unknownRecord(entry.text)
        }
        return try await history(
            of: name, schemas.schema(of: info), in: room, query["language"],
            limit: try RecordsPageText.limit(query, otherwise: Self.historyLimit))
    }

    private func history(
        of name: RecordName, _ schema: FormSchema, in room: OpenRoom, _ language: String?,
        limit: Int
    ) async throws -> [HistoryEntry] {
        let versions = try await room.store.history(of: name, limit: limit)
        let parts = try await room.store.perform { store in
            try EntryPart.all(of: name, schema, in: store)
        }
        var labels: [OperationName: String] = [:]
        for version in versions + parts.flatMap(\.history) where version.isPending {
            labels[version.version] = "pending:\(labels.count + 1)"
        }
        func label(_ name: OperationName) -> String { labels[name] ?? name.text }
        var forms: [FormDefinition: Form] = [:]
        for case let asked? in versions.map(\.asked) where asked != schema.info.form {
            if forms[asked] == nil { forms[asked] = Form(asked) }
        }
        let authors = Set((versions + parts.flatMap(\.history)).map(\.author))
        let names = await names.known(Array(authors))
        let own = versions.map { version in
            HistoryEntry(
                version: label(version.version), author: version.author.text,
                authorName: names[version.author], at: RecordTimestamp.text(version.at),
                kind: version.kind.word, changed: Self.changed(version, schema),
                shown: Self.shown(version, schema, version.asked.flatMap { forms[$0] }, language),
                kept: RecordsValues.json(version.kept, schema),
                verified: version.isVerified, parents: version.parents.map(label),
                parallel: version.parallel.map(label), head: version.isHead,
                refused: version.refusal?.rawValue, note: version.note)
        }
        guard !parts.isEmpty else { return own }
        var whole = EntryHistory(own)
        for part in parts {
            for operation in part.operations(language) {
                whole.add(operation, label(operation.version), by: names[operation.author])
            }
        }
        return Array(whole.entries.suffix(limit))
    }

    /// A record as people read it; one that was deleted where its history is asked for.
    ///
    /// - Parameter query: `language`; `history`: how many of the operations on it, or `true`; and
    ///   `exact=true` where its key has to be as it is written.
    func view(
        _ entry: EntrySelector, in room: OpenRoom, _ query: HTTPFields
    ) async throws -> EntryView {
        var history: HTTPFields?
        if let wanted = query["history"] {
            history =
                wanted == "true" ? HTTPFields() : HTTPFields([HTTPFields.Field("limit", wanted)])
        }
        let limit = try RecordsPageText.limit(
            history ?? HTTPFields(), otherwise: Self.historyLimit)
        let name = try await name(
            entry, in: room,
            for: .look(deleted: history != nil, exact: query["exact"] == "true"))
        let language = query["language"]
        let detail = try await room.store.detail(of: name)
        let schema = schemas.schema(of: detail.form)
        let reader = try await readers.reader(of: room)
        let row = try await reader.record(name, in: detail.form, wantsOrigin: true)
        var key = row.map { schema.name(of: $0) } ?? schema.name(of: detail.values)
        if detail.form.form.isRepeat {
            let around = try await room.store.perform { try $0.enclosing(detail) }
            if row == nil, !detail.isDeleted, history == nil { try requireShown(around) }
            // People know a row by the entry that it is in.
            if let entry = around.last {
                key =
                    schemas.schema(of: entry.form).name(of: entry.values)
                    ?? String(entry.name.id.text.suffix(8))
            }
        }
        var view = EntryView(
            id: name.id.text, form: name.form, title: schema.form.displayTitle(in: language),
            key: key, author: name.creator.text,
            authorName: await names.known(name.creator),
            created: row.map { RecordTimestamp.text($0.created) },
            updated: row.map { RecordTimestamp.text($0.updated) }, deleted: detail.isDeleted,
            fields: Self.fields(detail.values, schema, language),
            repeats: Self.repeats(
                row?.repeats ?? [], schema, language, Self.named(detail.values, schema, language)),
            conflicts: detail.conflicts.map { schema.name(of: $0.field) })
        if let row, !schema.repeats.isEmpty {
            view.conflicts += try await conflicts(inRows: row, schema, in: room)
        }
        if let row, KeptEntryCheck.isNeeded(for: schema) {
            let found = KeptEntryCheck(schema.told(in: language), surroundings).findings(row)
            view.problems = found.problems.map { Self.labelled($0, schema, language) }
            view.warnings = found.warnings
        }
        if let change = detail.change { view.change = await remark(change) }
        if let review = detail.review {
            view.review = await remark(review)
            view.changedSinceReview = detail.isChangedSinceReview(of: row)
        }
        for comment in detail.comments { view.comments.append(await remark(comment)) }
        if history != nil {
            view.history = try await self.history(
                of: name, schema, in: room, language, limit: limit)
        }
        if try await room.store.withholds() {
            let past =
                history != nil
                ? view.history
                : try await self.history(of: name, schema, in: room, language, limit: limit)
            view.withheld = past.filter { $0.refused != nil && $0.isPending }
            if !view.withheld.isEmpty { view.onlyHere = await onlyHere(in: room) }
        }
        return view
    }

    /// A row is shown no more than what it lies in.
    ///
    /// - Parameter around: what that is, innermost first.
    /// - Throws: `Problem` of `not_found_record` where something of it is deleted.
    func requireShown(_ around: [RecordDetail]) throws {
        guard let gone = around.first(where: \.isDeleted) else { return }
        throw isIn(
            gone, .notFoundRecord,
            or: "see who deleted it: `shared history \(gone.name.id.text.suffix(8))`")
    }

    /// Says of a row that what it lies in is deleted.
    ///
    /// - Parameter other: what can be done but to bring all of it back.
    func isIn(_ gone: RecordDetail, _ code: ErrorCode, or other: String) -> Problem {
        let key = schemas.schema(of: gone.form).name(of: gone.values)
        let short = gone.name.id.text.suffix(8)
        return Problem(
            code, "the row is in \(gone.name.form) \(key ?? String(short)), which is deleted",
            hint: "Bring all of it back: `shared restore \(short)`; or \(other).")
    }

    /// A problem in the words of the form: a question that is to be answered with its label.
    private static func labelled(
        _ problem: EntryProblem, _ schema: FormSchema, _ language: String?
    ) -> EntryProblem {
        guard problem.kind == .required,
            problem.message == ValueError.required(field: problem.path).description,
            let place = schema.form.stored.firstIndex(where: { $0.name == problem.path })
        else { return problem }
        var problem = problem
        let label = schema.label(of: schema.info.columns[place].field, in: language)
        let name = label == problem.path ? label : "\(problem.path) (\(label))"
        problem.message = "field \(name): no answer, and one is required"
        return problem
    }

    /// Why what this device's role does not allow stays on it, and what can be done.
    func onlyHere(in room: OpenRoom) async -> String {
        let authority = await room.store.authority()
        if let former = authority.formerMember(own.key) {
            let by = await names.named(former.by, in: room).name
            let how =
                former.by == own.key
                ? "this device has left the room" : "\(by) has removed this device"
            return "\(how); once it has joined again, shared push sends it"
        }
        let role = authority.currentRole(of: own.key)
        let why =
            role.map {
                $0.enters
                    ? "its role, or what it is assigned, does not allow it"
                    : "it is \($0.phrase) now"
            }
            ?? "it is no member"
        let owners = await names.owners(in: room)
        return why + "; ask " + (owners.isEmpty ? "an owner" : owners.joined(separator: " or "))
    }

    private func remark(_ remark: RecordDetail.Remark) async -> EntryRemark {
        EntryRemark(
            author: remark.author.text, authorName: await names.known(remark.author),
            at: RecordTimestamp.text(remark.at), state: remark.state, text: remark.text)
    }

    private static func fields(
        _ values: [FieldValue], _ schema: FormSchema, _ language: String?,
        _ outer: [String: String] = [:]
    ) -> [ShownField] {
        let known = outer.merging(named(values, schema, language)) { $1 }
        // Whose a row is and which one, its place says.
        let own = schema.form.isRepeat ? FormDefinition.repeatFields.count : 0
        return zip(schema.info.columns, values).enumerated().compactMap { index, column in
            guard column.1 != .absent, index >= own else { return nil }
            let field = index < schema.form.stored.count ? schema.form.stored[index] : nil
            return ShownField(
                name: schema.names[index],
                label: filled(schema.label(of: column.0.field, in: language), known),
                value: schema.shown(column.1, of: column.0.field, in: language),
                unit: field.flatMap { $0.isPercent ? nil : $0.unit })
        }
    }

    /// The answers of an entry, or of a row, as people read them, by the names of their fields.
    private static func named(
        _ values: [FieldValue], _ schema: FormSchema, _ language: String?
    ) -> [String: String] {
        var named: [String: String] = [:]
        for (index, field) in schema.form.stored.enumerated() where values.indices.contains(index) {
            named[field.name] = schema.shown(
                values[index], of: schema.info.columns[index].field, in: language)
        }
        return named
    }

    /// A label with the answers that it names (`Age of ${name}`) put in.
    private static func filled(_ label: String, _ known: [String: String]) -> String {
        guard label.utf8.contains(UInt8(ascii: "$")) else { return label }
        var result = ""
        var rest = label[...]
        while let start = rest.firstRange(of: "${"),
            let end = rest[start.upperBound...].firstIndex(of: "}")
        {
            let after = rest.index(after: end)
            result += rest[..<start.lowerBound]
            result +=
                known[String(rest[start.upperBound..<end])].map { $0.shortened(to: 100) }
                ?? String(rest[start.lowerBound..<after])
            rest = rest[after...]
        }
        return result + rest
    }

    /// The paths of answers in the rows of an entry that are in conflict: `kid[1]/age`, and of rows
    /// that are deleted `kid[844bab06]`, by the end of the row's id.
    private func conflicts(
        inRows row: RecordRow, _ schema: FormSchema, in room: OpenRoom, at path: String = ""
    ) async throws -> [String] {
        var found: [String] = []
        for (child, rows) in zip(schema.repeats, row.repeats) {
            let fields = try await room.store.conflictFields(ofForm: child.info.formID)
            guard !fields.isEmpty || !child.repeats.isEmpty else { continue }
            let parent = FieldValue.text(ParentName(row.name).text)
            for name in fields.keys.sorted() where !rows.contains(where: { $0.name == name }) {
                guard try await room.store.detail(of: name).values.first == parent else { continue }
                found.append("\(path)\(child.info.name)[\(name.id.text.suffix(8))]")
            }
            for (place, row) in rows.enumerated() {
                let own = "\(path)\(child.info.name)[\(place + 1)]/"
                found += (fields[row.name] ?? []).map { own + child.name(of: $0) }.sorted()
                found += try await conflicts(inRows: row, child, in: room, at: own)
            }
        }
        return found
    }

    private static func repeats(
        _ rows: [[RecordRow]], _ schema: FormSchema, _ language: String?, _ outer: [String: String]
    ) -> [ShownRepeat] {
        // The store has them by their names.
        let order = schema.form.repeats.map(\.name)
        func place(_ child: FormSchema) -> Int {
            order.firstIndex { $0.utf8.elementsEqual(child.info.name.utf8) } ?? order.count
        }
        return zip(schema.repeats, rows).sorted { place($0.0) < place($1.0) }.compactMap {
            child, rows in
            guard !rows.isEmpty else { return nil }
            let label =
                child.form.title.text(in: language, schema.form.defaultLanguage)
                ?? child.info.name
            return ShownRepeat(
                name: child.info.name, label: filled(label, outer),
                rows: rows.map { row in
                    let known = outer.merging(named(row.values, child, language)) { $1 }
                    let own = filled(label, known)
                    return ShownRow(
                        label: own == filled(label, outer) ? nil : own,
                        fields: fields(row.values, child, language, outer),
                        repeats: repeats(row.repeats, child, language, known))
                })
        }
    }

    /// - Parameter then: the form that its author had, where that is another one: its labels are
    ///   those that were read.
    private static func shown(
        _ version: RecordHistory, _ schema: FormSchema, _ then: Form?, _ language: String?
    ) -> [ShownChange] {
        let kept = version.kept.map {
            RecordHistory.Change(field: $0.field, before: $0.value, after: $0.value)
        }
        return (version.changes + kept).sorted {
            (schema.order(of: $0.field), $0.field.name)
                < (schema.order(of: $1.field), $1.field.name)
        }.map {
            var shown = schema.shown($0.field, from: $0.before, to: $0.after, in: language)
            if let then, let label = then.label(of: $0.field, in: language) { shown.label = label }
            return shown
        }
    }

    private static func changed(_ version: RecordHistory, _ schema: FormSchema) -> JSONObject {
        var changed = JSONObject()
        if let deletion = version.deletion {
            changed["_deleted"] = .array([deletion.before.json, deletion.after.json])
        }
        if let review = version.review {
            changed["_state"] = .array([review.before.json, review.after.json])
        }
        for change in version.changes {
            changed[change.field.name] = .array([
                schema.json(change.before, of: change.field),
                schema.json(change.after, of: change.field),
            ])
        }
        return changed
    }
}

extension Form {
    /// The label of the field whose answers are kept so, else its name; nil where it has none.
    fileprivate func label(of field: FormField, in language: String?) -> String? {
        stored.first { $0.name == field.name && $0.storage == field.type }.map {
            $0.label.text(in: language, defaultLanguage) ?? $0.name
        }
    }
}

extension OperationName {
    /// The batch in hexadecimal and the index in it.
    var text: String { Hex.encode(batch.bytes) + ":\(index)" }
}

extension RecordDetail {
    /// Whether it, or a row of it, was changed after its review or without knowing of it.
    func isChangedSinceReview(of row: RecordRow?) -> Bool {
        guard let review else { return false }
        return isChangedSinceReview
            || row?.repeats.joined().contains { $0.updated > review.at } == true
    }
}
