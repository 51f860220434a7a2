import Expressions
import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// Says what a form makes of answers so far, to those who may save them; it keeps nothing between two
/// calls.
struct EntryStateService: Sendable {
    let schemas: SchemaCache
    let records: RecordsService
    let surroundings: EntrySurroundings
    let membership: Membership

    func state(
        _ formID: String, in room: OpenRoom, _ request: EntryStateRequest
    ) async throws -> EntryStateAnswer {
        let schema = try await schemas.find(formID, in: room).told(in: request.language)
        let role = await room.store.authority().currentRole(of: records.own.key)
        // Who may not save it is not asked for answers.
        if request.record == nil { try await requireAdd(role, to: room) }
        let lists = schema.info.lists
        let failed = lists.failed
        var unread: [AskedFields.Unread] = []
        func read(keeping base: Answers) throws -> Answers {
            try schema.asked.read(
                schema.typed(request.values, at: surroundings.wall()), keeping: base,
                unread: &unread, takesAll: true)
        }
        var answers = Answers()
        var edited: (name: RecordName, values: [FieldValue])?
        var earlier = Answers()
        var before: FillState?
        let setting = surroundings.setting(of: schema)
        if let record = request.record {
            let name = try await records.name(
                EntrySelector(text: record), in: room, for: .edit)
            guard name.form == schema.info.formID else {
                throw StoreError.unknownRecord(record)
            }
            try await requireMember(role, of: room)
            try RecordsPermission(role).require(
                .edit, own: name.creator == records.own.key,
                creator: await records.whose(name))
            let (values, rows) = try await room.store.perform { store in
                (try store.detail(of: name).values, try store.repeats(of: name, in: schema.info))
            }
            let base = Answers(values, rows, of: schema)
            edited = (name, values)
            earlier = base
            let known = FillState(schema.questionnaire, base, kind: .stored, setting: setting)
            before = known
            answers = try read(keeping: base)
            for position in answers.fields.indices where answers.fields[position] == nil {
                answers.fields[position] = base.fields[position]
            }
            for position in answers.repeats.indices
            where !Self.names(request.values, schema.form.repeats(in: [])[position].name) {
                answers.repeats[position] = base.repeats[position]
            }
            answers = answers.named(as: base)
        } else {
            answers = try read(keeping: Answers())
        }
        let alike = AlikeChoices(unread.map { EntryFault($0) }) {
            FillState(
                schema.questionnaire, answers, kind: request.record == nil ? .new : .stored,
                since: earlier, before: before, language: request.language, setting: setting)
        }
        answers = answers.replacing(alike.values)
        let state = FillState(
            schema.questionnaire, answers, kind: request.record == nil ? .new : .stored,
            since: earlier, before: before, asked: request.changed, language: request.language,
            clearing: .always, setting: setting)
        guard !state.leavesOut else {
            throw Problem.rowsBeyond(state, of: schema)
        }
        let settled = Set(unread.map(\.path)).subtracting(alike.faults.map(\.path))
        unread.removeAll { settled.contains($0.path) }
        for (one, fault) in zip(unread, alike.faults) {
            guard let node = state.node(at: one.path) else { continue }
            state.setFaults[node] = EntryFault(
                node: node, path: one.path, kind: fault.kind, message: fault.message,
                hint: fault.hint, wanted: fault.wanted)
        }
        var answer = try EntryStateWriter(
            schema: schema, state: state, unread: unread, search: request.search ?? [:]
        ).answer(language: request.language)
        for scope in await room.store.authority().currentScopes(of: records.own.key) {
            for (place, condition) in try schema.conditions(of: scope, isNew: edited == nil) {
                var present: String?
                if let edited, case .text(let text) = edited.values[place] { present = text }
                answer.bind(to: condition, keeping: present)
            }
        }
        try lists.requireReading(since: failed)
        let isOwnKey = edited.map { edited in
            schema.keyPlaces.allSatisfy { edited.values[$0] == state.stored[$0] }
        }
        if let edited {
            schema.addEarlier(edited.values, to: &answer.fields, in: request.language)
        }
        // Before the last field of it is answered the key is no key.
        let isWhole = schema.keyPlaces.allSatisfy { state.stored[$0] != .absent }
        if isWhole, isOwnKey != true {
            answer.duplicate = try await records.duplicate(
                of: state.stored, schema, besides: edited?.name, in: room)
        }
        return answer
    }

    private func requireAdd(_ role: Role?, to room: OpenRoom) async throws {
        try await requireMember(role, of: room)
        try RecordsPermission(role).requireAdd()
    }

    private func requireMember(_ role: Role?, of room: OpenRoom) async throws {
        if role == nil { try await membership.requireMember(of: room) }
    }

    private static func names(_ values: JSONObject, _ name: String) -> Bool {
        values.members.contains { $0.key == name }
    }
}

extension EntryStateAnswer {
    /// Offers and takes what an assignment allows, and nothing else.
    ///
    /// - Parameter present: what the field has in an entry that is changed, which may stay.
    fileprivate mutating func bind(to condition: Scope.Condition, keeping present: String?) {
        guard let place = fields.firstIndex(where: { $0.path == condition.field }) else { return }
        let allowed = Set(condition.values + (present.map { [$0] } ?? []))
        var names = condition.values
        if let choices = fields[place].choices, fields[place].choicesTotal == choices.count {
            let left = choices.filter { allowed.contains($0.name) }
            fields[place].choices = left
            fields[place].choicesTotal = left.count
            fields[place].choicesAssigned = true
            names = left.map(\.label)
        }
        guard fields[place].isRelevant, case .string(let value) = fields[place].value,
            !value.isEmpty, !allowed.contains(value),
            !problems.contains(where: { $0.path == condition.field })
        else { return }
        let more = names.count > 8 ? ", ..." : ""
        let problem = EntryProblem(
            path: condition.field, kind: .constraint,
            message: "This device was not assigned \(fields[place].display ?? value).",
            hint: "It enters \(names.prefix(8).joined(separator: ", "))\(more).")
        fields[place].message = problem.message
        problems.append(problem)
    }
}

/// The routes of entries that are being filled in.
struct EntriesRoutes: Sendable {
    let requests: Requests
    let states: EntryStateService

    func register(on router: inout Router) {
        router.on(.post, "/v1/forms/{form}/state") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return try await states.state(
                    request.parameter("form"), in: room, try request.json())
            })
        }
    }
}
