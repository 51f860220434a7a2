import ShareCore
import ShareCrypto
import ShareStore

/// What thousands of control operations in a few small batches cost the others: when they come,
/// for each control batch after them, and once those who wrote them are removed.
struct ControlFloodBench {
    enum Flood: String, CaseIterable {
        case grants = "a viewer's 6,000 x 64 grants"
        case leaves = "a collector's 6,000 x 64 leaves"
        case war = "an owner's 64 owners, 2 x 50 acceptances and removals of each"
    }

    let folder: String
    private let clock = Timestamp(milliseconds: BenchRoom.wall, counter: 0)
    private let far = LogHead(number: 1 << 52, batch: BatchID(Hash.digest([7])))

    func run(_ flood: Flood) async throws {
        var room = try await BenchRoom(folder: folder, name: "control-\(flood)")
        let hostile = DeviceIdentity.generate()
        let role: Role =
            switch flood {
            case .grants: .viewer
            case .leaves: .collector
            case .war: .owner
            }
        _ = try await room.grant(role, to: hostile.key)
        let receiver = try await room.device(.generate(), "receiver")
        let batches = batches(flood, of: hostile, in: room)
        let incoming = batches.map { IncomingBatch($0) }
        let taken = try await Measure.seconds { try await receiver.merge(incoming) }
        func next() async throws -> String {
            let grant = IncomingBatch(
                try await room.grant(.viewer, to: DeviceIdentity.generate().key))
            let cost = try await Measure.seconds { try await receiver.merge([grant]) }
            return Measure.text(cost.cpu * 1_000) + " ms"
        }
        let after = [try await next(), try await next()]
        let seen = await room.store.authority().latest(about: hostile.key)
        let removal = IncomingBatch(
            try await room.seal(
                .removal(
                    Removal(
                        subject: hostile.key, heads: CoveredHeads(control: [], records: []),
                        supersedes: seen, reason: ""))))
        let removed = try await Measure.seconds { try await receiver.merge([removal]) }
        let bytes = batches.reduce(0) { $0 + $1.bytes.count }
        Measure.line(
            flood.rawValue,
            "\(bytes) bytes: \(Measure.text(taken.cpu)) s CPU; then a grant \(after[0]), "
                + "\(after[1]); the removal \(Measure.text(removed.cpu * 1_000)) ms; then a grant "
                + (try await next()))
    }

    private func batches(
        _ flood: Flood, of hostile: DeviceIdentity, in room: BenchRoom
    ) -> [Batch] {
        let none = CoveredHeads(control: [], records: [])
        switch flood {
        case .grants:
            let grant = self.grant(.collector, to: DeviceIdentity.generate().key)
            return chain(of: hostile, in: room, count: 6_000) { _ in
                [Array(repeating: grant, count: 64)]
            }
        case .leaves:
            let heads = CoveredHeads(control: [far], records: [far])
            let leave = ControlOperation.removal(
                Removal(subject: hostile.key, heads: heads, supersedes: [], reason: ""))
            return chain(of: hostile, in: room, count: 6_000) { _ in
                [Array(repeating: leave, count: 64)]
            }
        case .war:
            let puppets = (0..<64).map { _ in DeviceIdentity.generate() }
            let makes = chain(of: hostile, in: room, count: 1) { _ in
                [puppets.map { self.grant(.owner, to: $0.key) }]
            }
            return makes
                + puppets.enumerated().flatMap { place, puppet in
                    chain(of: puppet, in: room, count: 2) { part in
                        (0..<50).map { place in (part - 1) * 50 + place }.map { number in
                            let other = puppets[(place + number + 1) % puppets.count].key
                            let subject = number == 0 ? room.owner.key : other
                            return number.isMultiple(of: 2)
                                ? [
                                    .accept(
                                        Acceptance(
                                            subject: subject,
                                            heads: CoveredHeads(control: [far], records: [])))
                                ]
                                : [
                                    .removal(
                                        Removal(
                                            subject: subject, heads: none, supersedes: [],
                                            reason: ""))
                                ]
                        }
                    }
                }
        }
    }

    private func grant(_ role: Role, to subject: DeviceKey) -> ControlOperation {
        .grant(
            Grant(subject: subject, role: role, firstControl: 1, firstRecords: 1, supersedes: []))
    }

    /// A device's log: for each number the blocks of its batch.
    private func chain(
        of identity: DeviceIdentity, in room: BenchRoom, count: Int,
        _ blocks: (Int) -> [[ControlOperation]]
    ) -> [Batch] {
        var head = BatchID(room.founding.room.digest)
        return (1...count).map { number in
            var first = 0
            let body = blocks(number).map { operations -> Body.Block in
                defer { first += operations.count }
                return .control(
                    ControlBlock(
                        firstIndex: first,
                        entries: operations.map {
                            ControlBlock.Entry(clock: clock, operation: $0)
                        }))
            }
            let batch = Batch.seal(
                room: room.founding.room, kind: .control, number: UInt64(number), previous: head,
                clock: clock, blocks: body, by: identity)
            head = batch.id
            return batch
        }
    }
}
