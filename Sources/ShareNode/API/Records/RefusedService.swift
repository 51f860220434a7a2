import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Lists what was received and has no effect.
struct RefusedService: Sendable {
    let names: DeviceNames
    let faults: DeviceFaults
    let schemas: SchemaCache

    /// Lines asked of the store at a time, each perhaps in a batch of its own of 1 MiB.
    private static let refusedPage = 20
    /// The bytes of what entries say, in all.
    private static let answersBytes = 16 << 20
    /// The bytes of one text of theirs.
    private static let textBytes = 4 << 10

    /// Writes all of it as one JSON array, a page after the other.
    ///
    /// - Parameter hasAnswers: whether what new entries say is told, as far as there is room for it.
    func write(
        _ room: OpenRoom, hasAnswers: Bool, to write: ([UInt8]) async throws -> Void
    ) async throws {
        var separator = "["
        func writeOut(_ answers: [RefusedAnswer]) async throws {
            var text: [UInt8] = []
            for answer in answers {
                text += Array(separator.utf8) + answer.jsonText
                separator = ","
            }
            try await write(text)
        }
        var known: [DeviceKey: String?] = [:]
        var left = hasAnswers ? Self.answersBytes : 0
        let positions = try await room.store.refusedPlaces()
        for first in stride(from: 0, to: positions.count, by: Self.refusedPage) {
            let page = positions[first..<min(first + Self.refusedPage, positions.count)]
            var answers: [RefusedAnswer] = []
            // A single entry is named by what it says.
            let told = left > 0 ? RefusedOperation.mostTold : 1
            for refused in try await room.store.refused(at: page, told: told) {
                answers.append(await answer(refused, in: room, &known, &left))
            }
            try await writeOut(answers)
        }
        try await write(Array((separator == "[" ? "[]" : "]").utf8))
    }

    private func answer(
        _ refused: RefusedOperation, in room: OpenRoom, _ known: inout [DeviceKey: String?],
        _ left: inout Int
    ) async -> RefusedAnswer {
        var device: NamedDevice?
        if let subject = refused.subject { device = await names.named(subject) }
        let schema = await schema(of: refused, in: room)
        var answers: [JSONObject] = []
        if left > 0 {
            answers = refused.values.map { Self.answers($0, schema) }
            left -= answers.reduce(0) { $0 + $1.jsonText.count }
            if left <= 0 { answers = [] }
        }
        return RefusedAnswer(
            author: refused.author.text, authorName: await name(refused.author, in: room, &known),
            what: refused.what, reason: refused.refusal.rawValue, count: refused.count,
            form: refused.form, record: refused.record?.text,
            key: await key(refused, schema, in: room),
            at: refused.wall.map { WallClock.text($0.milliseconds) }, device: device,
            log: refused.log.name, batch: refused.batch.map { Hex.encode($0.batch.bytes) },
            hint: await hint(refused, about: device, in: room),
            answers: answers)
    }

    private func schema(of refused: RefusedOperation, in room: OpenRoom) async -> FormSchema? {
        guard let formID = refused.form, let form = await room.store.form(formID) else {
            return nil
        }
        return schemas.schema(of: form)
    }

    /// What a new entry says, in the form's order.
    private static func answers(
        _ values: [FormField: FieldValue], _ schema: FormSchema?
    ) -> JSONObject {
        let known = schema?.info.columns.map(\.field) ?? []
        let others = values.keys.filter { !known.contains($0) }.sorted { $0.name < $1.name }
        return JSONObject(
            (known + others).compactMap { field in
                values[field].map { value in
                    var value = value
                    if case .text(let text) = value {
                        value = .text(text.shortened(to: textBytes))
                    }
                    return JSONObject.Member(
                        key: schema?.name(of: .field(field)) ?? field.name,
                        value: RecordsValues.json(value, of: .field(field), schema))
                }
            })
    }

    /// Bytes of a name.
    private static let shownKey = 200

    /// What people call the entry that is meant, where it is a single one and has a name.
    private func key(
        _ refused: RefusedOperation, _ schema: FormSchema?, in room: OpenRoom
    ) async -> String? {
        guard refused.count == 1, let formID = refused.form, let id = refused.record,
            let creator = refused.creator, let schema
        else { return nil }
        if let values = refused.values.first {
            return schema.name(of: schema.info.columns.map { values[$0.field] ?? .absent })?
                .shortened(to: Self.shownKey)
        }
        let name = RecordName(form: formID, creator: creator, id: id)
        return (try? await room.store.detail(of: name)).flatMap { schema.name(of: $0.values) }
    }

    private func name(
        _ device: DeviceKey, in room: OpenRoom, _ known: inout [DeviceKey: String?]
    ) async -> String? {
        if let name = known[device] { return name }
        let isRecovery = await room.store.authority().recoveryKey == device
        let name = isRecovery ? "the recovery code" : await names.known(device)
        known[device] = .some(name)
        return name
    }

    /// What can be done about it; nil where nothing can.
    private func hint(
        _ refused: RefusedOperation, about device: NamedDevice?, in room: OpenRoom
    ) async -> String? {
        let accept = "shared accept \(refused.author.short)"
        let isControl = refused.log == .control
        switch refused.refusal {
        case .removed where isControl:
            return "decided by a removed device, and revoked; an owner can decide it again"
        case .removed:
            guard refused.isAcceptable else { return nil }
            return "entered by a removed device; an owner can let it count: \(accept)"
        case .beforeGrant:
            return "its device was no member by then: shared members --all"
        case .formRefused:
            guard let form = refused.form, let fields = refused.unasked else {
                return "its form does not count: enter it again in a form that does (shared forms)"
            }
            // Forms of repeats come with their entry's.
            let outermost = FormDefinition.outermostForm(of: form)
            let names = fields.map { "\($0.name) (\($0.type.name))" }.joined(separator: ", ")
            return "it counts as soon as a version of \(outermost) that counts asks"
                + " \(names.isEmpty ? "the same" : names.shortened(to: Self.shownKey)): shared form add"
        case .forked where isControl:
            return await faults.remedy(forBranchesOf: refused.author, in: room)
        case .forked:
            return "its device was copied too often; an owner can say what counts: \(accept)"
        case .role:
            guard refused.isAcceptable else {
                return
                    "its role did not allow it, and none that it had before did (shared members);"
                    + " what it says: shared refused --answers"
            }
            return "entered before it knew of its new role; an owner can let it count: \(accept)"
        case .scope:
            return
                "outside of what its author is assigned (shared members): who may enters it again;"
                + " what it says: shared refused --answers"
        case .quota:
            return "with it its author has written more than the room's quota; it counts when an"
                + " owner gives more: shared set quota"
        case .type: return "the value is not of the field's type: enter it again"
        case .outranked:
            guard let device else { return nil }
            return "\(device.name) was an owner before its author, so it counts nowhere; who"
                + " has the room's recovery code can do it: shared members --all"
        case .late: return "what its author wrote after it counts already; it can be said again"
        case .malformed, .misplaced:
            return "the program that made it is faulty: shared members"
        case .founding, .itself, .tooMany, .definition: return nil
        }
    }
}
