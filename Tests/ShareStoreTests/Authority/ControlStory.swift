import ShareCore
import ShareCrypto
import ShareTestKit

@testable import ShareStore

/// Random control logs of a few devices that write hundreds of operations in a batch, whether they
/// may or not, fork their logs, name heads and operations at random, and put blocks of unknown
/// kinds in between.
struct ControlStory {
    private(set) var batches: [Batch]
    private let room: RoomID
    private var devices: [DeviceIdentity]
    private var logs: [DeviceKey: [Batch]] = [:]
    private var about: [DeviceKey: [OperationName]] = [:]
    private var forms: [OperationName] = []

    init(_ bench: Bench, _ random: inout SeededRandom) throws {
        room = bench.founding.room
        batches = [bench.founding]
        let founder = bench.founder.identity
        devices = [founder] + (0..<4).map { _ in DeviceIdentity.generate() }
        logs[founder.key] = [bench.founding]
        let roles: [Role] = [.owner, .editor, .collector, .viewer]
        let grants = zip(devices.dropFirst(), roles).map { device, role in
            RawControlBody.Block.operation(
                .grant(
                    Grant(
                        subject: device.key, role: role, firstControl: 1, firstRecords: 1,
                        supersedes: [])))
        }
        seal(grants + [RawControlBody.form("visit")], by: founder, after: bench.founding)
        for _ in 0..<Int.random(in: 6...18, using: &random) {
            let place = [0, 1, 1, 2, 2, 2, 3, 3, 4].randomElement(using: &random) ?? 0
            let device = devices[place]
            let log = logs[device.key] ?? []
            let isFork = Int.random(in: 0..<4, using: &random) == 0
            let previous = isFork ? log.randomElement(using: &random) : log.last
            let blocks = (0..<Self.count(of: place, &random)).map { _ in
                block(by: device, after: previous, &random)
            }
            seal(blocks, by: device, after: previous)
            if Int.random(in: 0..<3, using: &random) == 0 { enter(by: device, &random) }
        }
    }

    /// The founder writes little, so that there is a room to speak of.
    private static func count(of place: Int, _ random: inout SeededRandom) -> Int {
        let most = [2, 40, 200, 200, 200][place]
        return Int.random(in: 1...most, using: &random)
    }

    private mutating func seal(
        _ blocks: [RawControlBody.Block], by device: DeviceIdentity, after previous: Batch?
    ) {
        let batch = RawControlBody(blocks: blocks).sealed(
            by: device, in: room, number: (previous?.number ?? 0) + 1, after: previous?.id)
        guard !batches.contains(where: { $0.id == batch.id }) else { return }
        batches.append(batch)
        logs[device.key, default: []].append(batch)
        var index = 0
        for block in blocks {
            switch block {
            case .foreign(_, let count): index += Int(count)
            case .operation(let operation):
                let name = OperationName(batch: batch.id, index: index)
                if let subject = operation.subject { about[subject, default: []].append(name) }
                if case .form = operation { forms.append(name) }
                index += 1
            }
        }
    }

    private func block(
        by device: DeviceIdentity, after previous: Batch?, _ random: inout SeededRandom
    ) -> RawControlBody.Block {
        let others = devices.map(\.key)
        let isLeave = device.key != others[0] && Int.random(in: 0..<3, using: &random) == 0
        let subject = isLeave ? device.key : others.randomElement(using: &random) ?? others[0]
        let after = (about[subject] ?? []).suffix(12).filter { _ in
            Int.random(in: 0..<4, using: &random) == 0
        }
        let heads = CoveredHeads(
            control: head(of: subject, &random).map { [$0] } ?? [], records: [])
        if isLeave {
            return .operation(
                .removal(Removal(subject: subject, heads: heads, supersedes: after, reason: "")))
        }
        let number = Int.random(in: 0..<5, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return .foreign(kind: RawControlBody.ignoredKind, count: UInt8(number + 1))
        case 1: return .foreign(kind: RawControlBody.awaitedKind, count: UInt8(number + 1))
        case 2: return .foreign(kind: UInt8(RecordsBlock.Kind.put.rawValue), count: 1)
        case 3, 4, 5:
            return RawControlBody.set(number == 0 ? Authority.openSetting : "key\(number)")
        case 6:
            return RawControlBody.form("form\(number)", number == 0 ? ["a", "a"] : ["a\(number)"])
        case 7: return RawControlBody.form("visit", ["a", "b\(number)"])
        case 8:
            return .operation(
                .removal(Removal(subject: subject, heads: heads, supersedes: after, reason: "")))
        case 9, 10:
            let role = [Role.viewer, .editor, .owner].randomElement(using: &random) ?? .viewer
            return .operation(
                .roleChange(
                    RoleChange(subject: subject, role: role, heads: heads, supersedes: after)))
        case 11: return .operation(.accept(Acceptance(subject: subject, heads: heads)))
        default:
            let role = [Role.viewer, .collector, .editor].randomElement(using: &random) ?? .viewer
            return .operation(
                .grant(
                    Grant(
                        subject: subject, role: role, firstControl: UInt64(number + 1),
                        firstRecords: UInt64(number + 1), supersedes: after)))
        }
    }

    /// A batch of its log, a head that nobody holds, or none.
    private func head(of subject: DeviceKey, _ random: inout SeededRandom) -> LogHead? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: nil
        case 1: LogHead(number: 9, batch: BatchID(Hash.digest([UInt8(9)])))
        default: logs[subject]?.randomElement(using: &random)?.head
        }
    }

    /// One record by some definition, in the device's first batch of records or one beside it.
    private mutating func enter(by device: DeviceIdentity, _ random: inout SeededRandom) {
        guard let form = forms.randomElement(using: &random) else { return }
        let id = RecordID(high: 1, low: UInt64.random(in: 0...99, using: &random))
        let clock = Timestamp(milliseconds: 1_700_000_600_000, counter: 0)
        let row = RecordsBlock.Row(id: id, clock: clock, creator: 0, parents: 0..<0)
        let block = RecordsBlock(
            kind: .put, firstIndex: 0, form: form, fields: [0], creators: [device.key],
            rows: [row], parents: [], cells: [.absent], storage: [])
        let batch = Batch.seal(
            room: room, kind: .records, number: 1, previous: BatchID(room.digest), clock: clock,
            blocks: [.records(block)], by: device)
        if !batches.contains(where: { $0.id == batch.id }) { batches.append(batch) }
    }
}
