import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// What was received and has no effect.
extension RecordsWork {
    /// Lines asked of the store at a time, each perhaps in a batch of its own.
    private static let refusedPage = 200

    /// Writes all of it as one JSON array, a page after the other; for an owner what peers hold
    /// beyond a removal as well.
    func refused(_ write: ([UInt8]) async throws -> Void) async throws {
        var separator = "["
        func writeOut(_ answers: [RefusedAnswer]) async throws {
            var text: [UInt8] = []
            for answer in answers {
                text += Array(separator.utf8) + answer.jsonText
                separator = ","
            }
            try await write(text)
        }
        var names: [DeviceKey: String?] = [:]
        var grantors: [DeviceKey: DeviceKey?] = [:]
        let places = try await room.store.refusedPlaces()
        for first in stride(from: 0, to: places.count, by: Self.refusedPage) {
            let page = places[first..<min(first + Self.refusedPage, places.count)]
            var answers: [RefusedAnswer] = []
            for refused in try await room.store.refused(at: page) {
                var answer = await answer(refused, &names)
                if refused.reason == "before grant", grantors[refused.author] == nil {
                    grantors[refused.author] = .some(
                        await room.store.voidGrantor(of: refused.author))
                }
                answer.hint = await hint(refused, grantors[refused.author] ?? nil)
                answers.append(answer)
            }
            try await writeOut(answers)
        }
        try await writeOut(try await heldElsewhere(&names))
        try await write(Array((separator == "[" ? "[]" : "]").utf8))
    }

    private func answer(
        _ refused: RefusedOperation, _ names: inout [DeviceKey: String?]
    ) async -> RefusedAnswer {
        var device: NamedDevice?
        if let subject = refused.subject { device = await node.named(subject) }
        return RefusedAnswer(
            author: refused.author.text, authorName: await name(refused.author, &names),
            what: refused.what, reason: refused.reason, count: refused.count,
            form: refused.form, record: refused.record?.text,
            at: refused.clock.map { WallClock.text($0.milliseconds) }, device: device,
            log: refused.log.name, batch: refused.batch.map { Hex.encode($0.batch.bytes) })
    }

    private func name(
        _ device: DeviceKey, _ names: inout [DeviceKey: String?]
    ) async -> String? {
        if let known = names[device] { return known }
        let name = await name(of: device)
        names[device] = .some(name)
        return name
    }

    /// What peers hold of removed devices and this one does not: an owner can take it in.
    private func heldElsewhere(
        _ names: inout [DeviceKey: String?]
    ) async throws -> [RefusedAnswer] {
        let authority = await room.store.authority()
        guard authority.currentRole(of: node.identity.key) == .owner else { return [] }
        var answers: [RefusedAnswer] = []
        for held in try await MembersWork(node: node, room: room).missing() {
            let isControl = held.log.kind == .control
            answers.append(
                RefusedAnswer(
                    author: held.log.author.text, authorName: await name(held.log.author, &names),
                    what: isControl ? "decisions" : "entries", reason: "not here",
                    // Who has only shown a batch has not said how much is in it.
                    count: max(Int(clamping: held.state.operations), 1),
                    heldBy: await node.named(held.peer), log: held.log.kind.name,
                    hint: Self.acceptance(of: held.log.author, withDecisions: isControl)))
        }
        return answers
    }

    /// What can be done about it; nil where nothing can.
    private func hint(_ refused: RefusedOperation, _ grantor: DeviceKey?) async -> String? {
        switch refused.reason {
        case "removed":
            guard refused.isAcceptable else { return nil }
            return "written beyond its removal; "
                + Self.acceptance(of: refused.author, withDecisions: refused.log == .control)
        case "before grant":
            guard let grantor else { return nil }
            return "let in by a device that was removed or had lost its role; "
                + Self.acceptance(of: grantor, withDecisions: true)
        case "form refused":
            guard let author = refused.formAuthor, refused.isAcceptable else { return nil }
            return "its form was added by a device that was removed or had lost its role; "
                + Self.acceptance(of: author, withDecisions: true)
        case "forked":
            return "its log has too many branches; an owner can name those that count: "
                + "shared accept \(refused.author.short)"
                + (refused.log == .control ? " --decisions" : "")
        case "role":
            guard refused.isAcceptable else { return "the role did not allow it: shared members" }
            return "written before it knew of its new role; "
                + Self.acceptance(of: refused.author, withDecisions: refused.log == .control)
        case "type": return "the value is not of the field's type: enter it again"
        case "malformed", "misplaced":
            return "the program that made it is faulty: shared members"
        default: return nil
        }
    }

    private static func acceptance(of device: DeviceKey, withDecisions: Bool) -> String {
        "an owner can take it in: shared accept \(device.short)"
            + (withDecisions ? " --decisions" : "")
    }
}
