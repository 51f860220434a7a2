import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Works out which operations change one record as somebody wishes, and resolve its conflicts.
struct ConflictResolution: Sendable {
    /// One operation, which has seen all that is there.
    struct Step: Sendable {
        let change: LocalChange
        /// Names of the fields that it writes.
        var fields: [String] = []
    }

    let detail: RecordDetail
    let schema: FormSchema
    /// For fields that the form has not any more: a definition that has them.
    var older: [FormField: FieldPosition] = [:]

    private var short: Substring { detail.name.id.text.suffix(8) }

    /// What an edit that gives these values, by their index in the form, has to write: values that
    /// are another now, and those of fields in conflict, where what shows is a decision as well.
    ///
    /// - Parameters:
    ///   - all: whether to write also what is so already.
    ///   - asBefore: whether they are what was there: that a question was not answered then, which
    ///     the form requires now, stands in nobody's way.
    /// - Throws: `ValueError`.
    func writes(
        _ given: [Int: FieldValue], all: Bool = false, asBefore: Bool = false
    ) throws -> [LocalChange.FieldChange] {
        var values = Array(detail.values.prefix(schema.form.stored.count))
        let inConflict = Set(detail.conflicts.compactMap { schema.index(of: $0.field) })
        let changed = given.keys.sorted().filter { index in
            all || values[index] != given[index] ?? .absent || inConflict.contains(index)
        }
        for index in changed { values[index] = given[index] ?? .absent }
        for index in changed where !asBefore && schema.form.stored[index].isRequired {
            guard values[index] != .absent else {
                throw ValueError.required(field: schema.form.stored[index].name)
            }
        }
        try schema.parser.checkSize(values)
        return changed.map { LocalChange.FieldChange(field: $0, value: values[$0]) }
    }

    /// The operations that give these values and keep one side of all that has none.
    ///
    /// - Parameter computed: what the form makes of such values that are others then.
    /// - Throws: `Problem` where there is nothing to resolve, or it is not said how; `ValueError`.
    func plan(
        _ given: [Int: FieldValue], keeping side: ResolveRequest.Side?,
        computed: ([FieldValue]) throws -> [Int: FieldValue]
    ) throws -> [Step] {
        guard !detail.conflicts.isEmpty || detail.parallel != nil else {
            throw Problem(
                given.isEmpty && side == .shown ? .alreadySo : .nothingToChange,
                "\(RecordsEditor.name(of: detail, schema)) has no conflict",
                hint: "See those that have: `shared conflicts`; to change a field: "
                    + "`shared edit \(short) FIELD=VALUE`.")
        }
        guard !given.isEmpty || side != nil else {
            throw Problem(
                .badRequest, "it is not said how to resolve entry \(short)",
                hint: "Give values, FIELD=VALUE, or keep what shows: --keep shown.")
        }
        if let parallel = detail.parallel { return [try seeing(parallel, given, side)] }
        try requireConflict(given)
        var values = given
        var steps: [Step] = []
        for conflict in detail.conflicts {
            if let index = schema.index(of: conflict.field) {
                guard values[index] == nil, let side else { continue }
                values[index] = try value(of: conflict, side)
            } else {
                steps += try step(for: conflict, side, given)
            }
        }
        if !values.isEmpty {
            var after = detail.values
            for (field, value) in values { after[field] = value }
            // No side may have what the answers of both come to.
            values.merge(try computed(after)) { $1 }
        }
        let writes = try writes(values)
        return writes.isEmpty ? steps : steps + [edit(writes)]
    }

    /// The operation that decides whether a record is deleted in which rows are left.
    ///
    /// - Throws: `Problem` where it is not said which side is kept.
    func decide(_ side: ResolveRequest.Side?) throws -> [Step] {
        guard let side else {
            throw Problem(
                .badRequest, "it is not said how to resolve entry \(short)",
                hint: "It is deleted, and somebody has entered rows in it: --keep shown leaves it"
                    + " deleted, with them; --keep other brings it back.")
        }
        return [Step(change: side == .shown ? .delete(detail.name) : .restore(detail.name))]
    }

    /// Values must be about what is in conflict: any other would be an ordinary edit that nobody
    /// has asked for. Who brings a record back may give it other values.
    private func requireConflict(_ given: [Int: FieldValue]) throws {
        let indices = detail.conflicts.compactMap { schema.index(of: $0.field) }
        guard let other = given.keys.sorted().first(where: { !indices.contains($0) }),
            !detail.conflicts.contains(where: { $0.field == .deleted })
        else { return }
        let names = detail.conflicts.map { schema.name(of: $0.field) }.joined(separator: ", ")
        throw Problem(
            .nothingToChange,
            "\(schema.form.stored[other].name) is not in conflict; in conflict: \(names)",
            hint: "To change it: `shared edit \(short) FIELD=VALUE`.")
    }

    private func edit(_ writes: [LocalChange.FieldChange]) -> Step {
        Step(
            change: .edit(detail.name, definition: schema.info.definition, values: writes),
            fields: writes.map { schema.form.stored[$0.field].name })
    }

    /// The value of the side that is kept.
    private func value(
        of conflict: RecordConflict, _ side: ResolveRequest.Side
    ) throws -> FieldValue {
        switch side {
        case .shown: return conflict.winner.value
        case .other:
            let values = Set(conflict.losers.map(\.value))
            guard values.count == 1, let value = values.first else {
                let name = schema.name(of: conflict.field)
                throw Problem(
                    .severalValues, "\(name) has \(values.count) other values",
                    hint: "Choose one: `shared resolve \(short) \(name)=VALUE`.")
            }
            return value
        }
    }

    /// The step that resolves a conflict about something else than a field of the form in force.
    private func step(
        for conflict: RecordConflict, _ side: ResolveRequest.Side?, _ given: [Int: FieldValue]
    ) throws -> [Step] {
        switch conflict.field {
        case .deleted:
            // Whoever gives values to a deleted record wants it back.
            guard side != nil || (detail.isDeleted && !given.isEmpty) else { return [] }
            let isToBeDeleted =
                detail.isDeleted ? side == .shown && given.isEmpty : side == .other
            return [
                isToBeDeleted
                    ? Step(change: .delete(detail.name))
                    : Step(change: .restore(detail.name))
            ]
        case .reviewState:
            guard let side, case .text(let state) = try value(of: conflict, side) else { return [] }
            return [
                Step(
                    change: .review(detail.name, state: state, note: nil),
                    fields: [schema.name(of: conflict.field)])
            ]
        case .field(let field):
            guard let side, let position = older[field] else { return [] }
            let write = LocalChange.FieldChange(
                field: position.position, value: try value(of: conflict, side))
            return [
                Step(
                    change: .edit(detail.name, definition: position.definition, values: [write]),
                    fields: [schema.name(of: conflict.field)])
            ]
        }
    }

    /// What sides have done apart stands already: whatever writes what shows has seen it together.
    private func seeing(
        _ parallel: ParallelUpdate, _ given: [Int: FieldValue], _ side: ResolveRequest.Side?
    ) throws -> Step {
        guard side != .other else {
            throw Problem(
                .nothingToChange,
                "entry \(short) has no other values: all that was changed stands",
                hint: "To have seen it: `shared resolve \(short) --keep shown`.")
        }
        var values = given
        for change in parallel.branches.flatMap(\.changes) where side != nil {
            guard let index = schema.index(of: .field(change.field)), values[index] == nil else {
                continue
            }
            values[index] = detail.values[index]
        }
        if !values.isEmpty { return edit(try writes(values, all: true)) }
        if detail.isDeleted { return Step(change: .delete(detail.name)) }
        if let state = detail.review?.state, parallel.branches.contains(where: { $0.state != nil })
        {
            return Step(change: .review(detail.name, state: state, note: nil))
        }
        return Step(change: .restore(detail.name))
    }
}
