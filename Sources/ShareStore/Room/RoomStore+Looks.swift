package import ShareCore
package import ShareCrypto

/// The room's content and counts, for readers.
extension RoomStore {
    /// Lets those go on who write to the file that has the room's name.
    ///
    /// - Throws: `StoreError.replaced` where it was deleted or replaced.
    package func requirePlace() throws { try file.requirePlace() }

    /// How much the room holds.
    ///
    /// - Throws: `StoreError.replaced` as `requirePlace`.
    package func counts() throws -> RoomCounts {
        try file.requirePlace()
        return try file.room.counts()
    }

    /// How far the rows of a form and its repeats have come.
    package func rowsMark(of formID: String) throws -> RowsMark {
        try file.room.mark(of: formID)
    }

    /// How far each peer has a log, by its own word.
    package func delivered(_ log: LogName) throws -> [DeviceKey: LogHead] {
        try file.room.log.delivery.delivered(log)
    }

    /// The logs in which their authors have written two batches at one place.
    package func forks() throws -> [LogFork] { try file.room.review.forks() }

    /// Members, former members, verdicts: all that follows from the control logs.
    package func authority() -> Authority { file.room.policy.authority }

    /// The room's name, and whether it is open or hidden; as founded, or as set since.
    package func settings() -> RoomSettings { file.room.policy.settings }

    /// The operation that gives a setting a value, based on what this device knows of it.
    package func setting(_ key: String, to isOn: Bool) -> ControlOperation {
        setting(key, to: isOn ? "true" : "false")
    }

    package func setting(_ key: String, to value: String) -> ControlOperation {
        .set(Setting(key: key, value: value, parents: file.room.policy.heads(ofSetting: key)))
    }

    /// The most that one member, owners left out, has written so far by each of the limits that a
    /// quota has.
    ///
    /// - Complexity: O(batches of records).
    package func usage() throws -> Quota { try file.room.usage() }

    package func forms() -> [FormInfo] { file.room.forms.forms() }
    package func form(_ formID: String) -> FormInfo? { file.room.forms.form(formID) }

    /// The accepted versions of all forms that are no repeats: by form, that in force first, then
    /// from the latest to the first.
    package func formVersions() -> [FormVersion] {
        let places = file.room.policy.formPlaces()
        return forms().filter { !$0.form.isRepeat }.flatMap { form in
            form.accepted.compactMap { accepted in
                places[accepted.definition].map {
                    FormVersion(
                        formID: form.formID, version: accepted.form.version, log: $0.log,
                        number: $0.number)
                }
            }
        }
    }

    /// The forms that several people have changed at once, and nobody since.
    package func parallelDefinitions() -> [ParallelDefinitions] {
        file.room.forms.parallelDefinitions()
    }

    /// All form definitions that are held, for `IncomingBatch`; they change with control batches
    /// only.
    package func definitions() -> [OperationName: FormDefinition] { file.room.forms.definitions() }

    /// The accepted definitions that no accepted one replaces: the parents of the next.
    package func heads(of formID: String) -> [OperationName] { file.room.forms.heads(of: formID) }

    /// The operations on a record, oldest first, refused ones included.
    ///
    /// - Parameter limit: of more only the latest are given.
    /// - Throws: `StoreError.unknownRecord`.
    package func history(of name: RecordName, limit: Int = 1_000) throws -> [RecordHistory] {
        do {
            return try file.room.history(of: name, limit: limit)
        } catch StoreError.unknownRecord(let id) {
            guard let (form, row) = try withheld(name) else { throw StoreError.unknownRecord(id) }
            return [RecordHistory(withheld: row, of: form)]
        }
    }

    /// Whether an entry was made here and is not sent, as this device's role does not allow it any
    /// more.
    package func isWithheld(_ name: RecordName) throws -> Bool { try withheld(name) != nil }

    /// Whether an entry or a change of one is withheld so.
    package func withholds() throws -> Bool {
        try WithheldEntries(database: file.database).areThere
    }

    /// An entry that this device's role does not allow any more; nil where it is none.
    private func withheld(_ name: RecordName) throws -> (FormInfo, RecordRow)? {
        guard let form = form(name.form) else { return nil }
        let rows = try WithheldEntries(database: file.database).rows(of: form)
        return rows.first { $0.name == name }.map { (form, $0) }
    }

    /// Where an accepted definition of a form has a field, also one that is not in force any more;
    /// nil if none has.
    package func position(of field: FormField, in formID: String) -> FieldPosition? {
        file.room.forms.position(of: field, in: formID)
    }

    /// The details of a record beside its values; also of a deleted one.
    ///
    /// - Throws: `StoreError.unknownRecord`.
    package func detail(of name: RecordName) throws -> RecordDetail {
        do {
            return try file.room.records.detail(of: name, in: file.room.forms)
        } catch StoreError.unknownRecord(let id) {
            guard let (form, row) = try withheld(name) else { throw StoreError.unknownRecord(id) }
            return RecordDetail(
                name: name, form: form, isDeleted: false, values: row.values, change: nil,
                review: nil, isChangedSinceReview: false,
                comments: [], conflicts: [], parallel: nil)
        }
    }

    /// What a row of a repeat lies in, deleted or not: the rows around it, innermost first, and last
    /// its entry.
    ///
    /// - Returns: nothing for an entry; the entry is missing where it, or a row, is not here.
    package func enclosing(_ row: RecordDetail) throws -> [RecordDetail] {
        var found: [RecordDetail] = []
        var inner = row
        while let name = RecordName(parent: inner.values.first, ofRowsIn: inner.name.form) {
            do {
                inner = try detail(of: name)
            } catch StoreError.unknownRecord {
                break
            }
            found.append(inner)
        }
        return found
    }

    /// The entry that a row of a repeat lies in, deleted or not; nil for an entry, and where it is
    /// not here.
    package func entry(above row: RecordDetail) throws -> RecordDetail? {
        try enclosing(row).last.flatMap { $0.form.form.isRepeat ? nil : $0 }
    }

    /// Entries of a form that would show an older value if one field were asked again in the place of
    /// the other.
    package func countEclipsed(
        _ earlier: FormField, by later: FormField, of formID: String
    ) throws -> Int {
        guard let form = file.room.forms.catalog.forms[formID] else { return 0 }
        return try file.room.records.countEclipsed(earlier, by: later, in: form)
    }

    /// The conflicts of the next records that have any, by record id, creator and form: the same
    /// list on every device that holds the same batches and has nothing pending.
    ///
    /// - Parameter limit: how many records; all conflicts of a record come together.
    /// - Complexity: in proportion to the records with conflicts, not to all.
    package func conflicts(
        after: RecordName? = nil, limit: Int = 1_000
    ) throws -> RecordPage<RecordConflict> {
        try file.room.records.conflicts.conflicts(after: after, limit: limit)
    }

    /// The fields in conflict of all records of a form that have any.
    ///
    /// - Complexity: in proportion to the room's conflicts.
    package func conflictFields(ofForm formID: String) throws -> [RecordName: [RecordField]] {
        try file.room.records.conflicts.fields(ofForm: formID)
    }

    /// Records changed by several sides unseen by each other, without a conflict; as `conflicts`.
    package func parallelUpdates(
        after: RecordName? = nil, limit: Int = 1_000
    ) throws -> RecordPage<ParallelUpdate> {
        try file.room.records.conflicts.parallelUpdates(after: after, limit: limit)
    }

    /// Where operations stand that are refused, or wait for a form that is refused, in the same
    /// order on every device.
    package func refusedPlaces() throws -> [Int64] {
        try file.room.review.refusedPlaces()
    }

    /// Whether operations on records are among them.
    package func hasRefusedEntries() throws -> Bool { try file.room.review.hasRefusedEntries() }

    /// What stands at places that `refusedPlaces` gave, but for those that have gone since.
    ///
    /// - Parameter told: new records of each of which the values are told.
    package func refused(
        at positions: ArraySlice<Int64>, told: Int = RefusedOperation.mostTold
    ) throws -> [RefusedOperation] {
        try file.room.review.refused(at: positions, told: told)
    }

    /// The heads that are held of a device's two logs, also where they do not count: what a
    /// removal or a change of its role names as the end of what it has written so far.
    package func heads(of device: DeviceKey) -> CoveredHeads { file.room.log.heads(of: device) }

    /// The records of a device that are held and refused for where they stand in its log, and the
    /// heads with which an owner can accept them.
    ///
    /// - Parameters:
    ///   - authority: the room as it would be; nil as it is.
    ///   - ends: the last batches that are looked at; nil for all that are held.
    /// - Complexity: O(batches of the device).
    package func refusals(
        of device: DeviceKey, under authority: Authority? = nil, upTo ends: [LogHead]? = nil
    ) throws -> DeviceRefusals {
        try file.room.review.refusals(of: device, under: authority, upTo: ends)
    }

    /// The form definitions that are here, do not count, and are waited for by entries of a device.
    package func blockingForms(of device: DeviceKey) throws -> [BlockingForm] {
        try file.room.review.blockingForms(of: device)
    }

    /// Whether a form definition is held.
    package func holds(_ definition: OperationName) throws -> Bool {
        try file.room.log.row(of: definition.batch) != nil
    }

    /// Whether a grant to a device is held, also one that does not count.
    package func isGranted(to device: DeviceKey) -> Bool { file.room.policy.isGranted(to: device) }

    /// Operations on records that have no effect, of one device or of all.
    package func withoutEffect(of device: DeviceKey? = nil) throws -> Int {
        try file.room.review.withoutEffect(of: device)
    }

    /// How many operations of other devices than `author` use a form definition.
    ///
    /// - Complexity: that of opening the batches that use it.
    package func uses(of definition: OperationName, without author: DeviceKey) throws -> Int {
        try file.room.uses(of: definition, without: author)
    }

    /// How far a device's logs go up to the first batch that was sealed at `time` or later, by that
    /// device's own clock; without a time all that is held.
    ///
    /// - Complexity: O(batches of the device).
    package func extent(
        of device: DeviceKey, before time: WallTime? = nil
    ) throws -> DeviceExtent {
        try file.room.review.extent(of: device, before: time)
    }

    /// The number of a log's last batch at which its author had a role; 0 where there is none.
    ///
    /// - Complexity: O(batches of the log).
    package func lastCounting(of device: DeviceKey, _ kind: LogKind) throws -> UInt64 {
        try file.room.review.lastCounting(of: device, kind)
    }

    /// A control operation with its clocks; nil where it is not held.
    package func entry(of operation: OperationName) -> ControlBlock.Entry? {
        file.room.policy.entry(of: operation)
    }

    /// The last batch of this device's own log; of several branches, that of the longest.
    package func ownHead(_ kind: LogKind) throws -> LogHead? {
        try file.room.log.longestHead(kind, of: identity.key)
    }

    /// The batch that the next control batch of a device, or of the recovery key, follows.
    package func controlHead(of author: DeviceKey) throws -> LogHead? {
        try file.room.log.longestHead(.control, of: author)
    }

    /// The file as it is now, to be checked beside other work.
    package func check() throws -> RoomCheck {
        try file.requirePlace()
        return try RoomCheck(path: path, room: room, identity: identity, vfs: file.vfs)
    }
}
