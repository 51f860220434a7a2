import ShareCore
import ShareCrypto

/// The judge of all operations: members and roles by the control logs, and a verdict on each
/// operation.
///
/// Its tables are `_member` and `_definition`, `_judged` (each author's standing at each batch of
/// records when it was judged), `_uses`, and those of `refusals`. Members and definitions in the
/// file are those of `controls`; each batch of records was judged with the standing that is noted
/// of it. It knows no rows of records: whoever applies an operation asks here first.
///
/// In memory are the operations of control batches that count or define what entries may go by; what
/// the others say is read when it comes to matter.
struct RoomPolicy {
    let room: RoomID
    let own: DeviceKey
    let database: Database
    let devices: DeviceTable
    let refusals: Refusals
    /// Control batches that are held, in the order in which they came.
    private(set) var controls: [ControlRecord] = []
    private(set) var judgement: Judgement
    /// What the accepted operations on settings come to.
    private(set) var settings: RoomSettings
    var quota: Quota? { settings.quota }
    let meter: QuotaMeter
    /// Members and definitions as the file has them; nil until all have been written once.
    private var notes: ControlNotes?

    init(room: RoomID, own: DeviceKey, _ database: Database, _ devices: DeviceTable) {
        self.room = room
        self.own = own
        self.database = database
        self.devices = devices
        refusals = Refusals(database: database)
        meter = QuotaMeter(database)
        judgement = Judgement(Authority(room: room, batches: [])) { _ in [] }
        settings = Self.settings(in: [])
    }

    var authority: Authority { judgement.authority }
    var members: [Member] { judgement.members }

    /// The heads up to which a log counts; nil where all of it does.
    func cutoff(of log: LogName) -> [LogHead]? { authority.cut(of: log) }

    /// Judges all control batches that a log holds.
    mutating func load(_ log: BatchLog) throws {
        controls = []
        let editors = notedEditors()
        try log.eachControl { row, batch in
            var record = ControlRecord(batch: row, batch, try? batch.openBody())
            if !editors.contains(batch.author) { record.keep([]) }
            controls.append(record)
        }
        try judgeAll(log)
    }

    /// The editors and owners that the file had when it was written last: what they say is probably
    /// needed. Nothing else hangs on it, so it is none where they cannot be read.
    private func notedEditors() -> Set<DeviceKey> {
        let rows = (try? database.rows("SELECT key, role FROM _member")) ?? []
        return Set(
            rows.compactMap { row in
                guard case .blob(let key) = row[0], case .integer(let number) = row[1],
                    let role = Role(rawValue: UInt8(truncatingIfNeeded: number)), role >= .editor
                else { return nil }
                return DeviceKey(key)
            })
    }

    /// Judges all control batches anew.
    mutating func judgeAll(_ log: BatchLog) throws {
        let authority = Authority(room: room, batches: controls.map(\.control))
        let judgement = try Judgement(authority) { try opened($0, log) }
        for index in controls.indices { controls[index].outcome = nil }
        let change = try change(adding: [], as: judgement, log)
        controls = change.controls
        self.judgement = change.judgement
        notes = nil
        settings = Self.settings(in: controls)
    }

    /// What the batches held come to with more.
    func judgement(adding new: [ControlRecord], _ log: BatchLog) throws -> Judgement {
        try Judgement(authority.adding(new.map(\.control))) { try opened($0, log) }
    }

    private func opened(_ wanted: Set<BatchID>, _ log: BatchLog) throws -> [ControlRecord] {
        try controls.filter { wanted.contains($0.head.batch) }.map { record in
            var record = record
            try record.open(from: log)
            return record
        }
    }

    /// Drops all that the file says of verdicts.
    mutating func removeNotes() throws {
        try database.execute(
            """
            DELETE FROM _definition; DELETE FROM _member; DELETE FROM _judged; DELETE FROM _uses;
            DELETE FROM _waiting; DELETE FROM _refused; DELETE FROM _refused_record
            """)
        notes = nil
    }

    // MARK: Control batches

    /// The effect of more control batches, before any of it is in force.
    struct Change {
        let controls: [ControlRecord]
        let judgement: Judgement
        /// The indexes of control batches that came to something else, or are new.
        let changed: [Int]
        let settings: RoomSettings
        /// Devices whose records are to be judged anew.
        let authors: Set<DeviceKey>

        var definesForms: Bool { changed.contains { controls[$0].definesForms } }
        var definesLists: Bool { changed.contains { controls[$0].definesLists } }
    }

    func change(
        adding new: [ControlRecord], as judgement: Judgement, _ log: BatchLog
    ) throws -> Change {
        let authority = judgement.authority
        let authors = authority.devicesJudgedAnew(since: self.authority)
        let decided = authority.batchesDecidedAnew(since: self.authority, about: authors)
        var controls = controls + new
        var changed: [Int] = []
        var held: [ControlBatch] = []
        for (index, record) in controls.enumerated()
        where record.outcome == nil || authors.contains(record.author)
            || decided.contains(record.head.batch)
            || judgement.opened[record.head.batch] != nil
        {
            let opened = judgement.opened[record.head.batch]
            if let opened { controls[index] = opened }
            controls[index].outcome = ControlOutcome(of: record, by: authority)
            let needed = controls[index].needed
            if needed.contains(where: { controls[index].control.entry(at: $0) == nil }) {
                try controls[index].open(from: log)
            }
            controls[index].keep(needed)
            if opened != nil || controls[index].entries.count != record.entries.count {
                held.append(controls[index].control)
            }
            if controls[index].outcome != record.outcome { changed.append(index) }
        }
        let judgement = held.isEmpty ? judgement : judgement.holding(held)
        let sets = changed.contains { controls[$0].givesSettings }
        let settings = sets ? Self.settings(in: controls) : self.settings
        let concerned = settings.quota == quota ? authors : authors.union(judgement.known)
        return Change(
            controls: controls, judgement: judgement, changed: changed, settings: settings,
            authors: concerned)
    }

    /// Puts a change into force; what the file says follows with `note`.
    mutating func adopt(_ change: Change) {
        controls = change.controls
        judgement = change.judgement
        settings = change.settings
    }

    /// Brings the file's notes up to date, those on operations for the control batches at these
    /// indexes; after an opening all of them are written.
    ///
    /// - Returns: the latest clock of what is accepted among them.
    mutating func note(changed: [Int], _ catalog: FormCatalog) throws -> Timestamp {
        let notes = controlNotes(catalog)
        var latest = Timestamp.zero
        let old = self.notes ?? ControlNotes()
        if self.notes == nil {
            try database.execute("DELETE FROM _definition; DELETE FROM _member")
            for record in controls { latest = max(latest, try note(record)) }
        } else {
            for index in changed { latest = max(latest, try note(controls[index])) }
        }
        for (name, note) in notes.definitions where old.definitions[name] != note {
            try write(note, of: name, catalog)
        }
        for (name, note) in old.definitions where notes.definitions[name] == nil {
            try database.run(
                "DELETE FROM _definition WHERE operation = ?1", .integer(note.local.rawValue))
        }
        let (now, before) = Member.unlike(notes.members, old.members)
        for member in before {
            try database.run("DELETE FROM _member WHERE key = ?1", .blob(member.device.bytes))
        }
        for member in now {
            try database.run(
                "INSERT OR REPLACE INTO _member(key, role) VALUES(?1, ?2)",
                .blob(member.device.bytes), .integer(Int64(member.role.rawValue)))
        }
        self.notes = notes
        return latest
    }

    /// Writes what the operations of a control batch come to. What is accepted, and nothing else,
    /// advances the clock.
    private func note(_ record: ControlRecord) throws -> Timestamp {
        try refusals.remove(of: record.batch)
        guard let outcome = record.outcome else { return .zero }
        for note in record.notes + record.foreign {
            let local = LocalName(batch: record.batch, index: note.positions.lowerBound)
            switch note.verdict {
            case .waiting(let waiting, let key):
                try refusals.wait(local, count: note.count, for: waiting, key: key)
            case .refused(let refusal, let what):
                try refusals.refuse(local, count: note.count, refusal, what: what)
            }
        }
        var latest = Timestamp.zero
        guard outcome.acceptsAny else { return latest }
        for (index, entry) in record.entries where record.verdict(at: index) == .accepted {
            latest = max(latest, entry.clock)
        }
        return latest
    }

    private func write(
        _ note: ControlNotes.Definition, of name: OperationName, _ catalog: FormCatalog
    ) throws {
        guard let definition = catalog.definitions[name] else { return }
        let form = definition.form
        try database.run(
            """
            INSERT INTO _definition(operation, form_id, version, verdict, in_force, json)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT(operation) DO UPDATE SET verdict = ?4, in_force = ?5
            """, .integer(definition.local.rawValue), .text(form.formID), .text(form.version),
            .text(note.verdict), .integer(note.isInForce ? 1 : 0), .text(form.json))
    }

    private func controlNotes(_ catalog: FormCatalog) -> ControlNotes {
        var notes = ControlNotes()
        notes.members = judgement.members
        for definition in catalog.definitions.values where definition.isByEditor {
            let inForce = catalog.plans[definition.form.formID]?.inForce.name
            notes.definitions[definition.name] = ControlNotes.Definition(
                local: definition.local, verdict: definition.verdict.word,
                isInForce: definition.isAccepted && inForce == definition.name)
        }
        return notes
    }

}
