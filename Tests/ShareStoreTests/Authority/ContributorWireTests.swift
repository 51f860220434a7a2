import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What crosses the wire to a contributor, frame by frame: the control logs and its own records
/// log, and not a word of anything else.
struct ContributorWireTests {
    /// A founder and a collector with records, and a third device on the founder's wire.
    private final class Scene {
        let bench: Bench
        let third: TestRoom
        let collector: TestRoom
        let form: OperationName
        let server: WiredDevice
        let client: WiredDevice
        var wire: Wire

        init(_ role: Role) throws {
            bench = try Bench()
            form = try bench.addForm()
            collector = try bench.device(.collector)
            third = try bench.device(role)
            for writer in [collector, third] {
                try Bench.merge(Bench.batches(of: bench.founder), into: writer)
            }
            for (writer, name) in [
                (bench.founder, "founder"), (collector, "other"), (third, "own"),
            ] {
                try writer.append([bench.row(form, name, 1)], wall: bench.wall)
                _ = try writer.seal(wall: bench.wall)
            }
            try Bench.merge(Bench.batches(of: collector), into: bench.founder)
            // What it had sent on another day comes back to it only.
            try Bench.merge(Bench.batches(of: third), into: bench.founder)
            server = try WiredDevice(bench.founder, seed: 1)
            client = try WiredDevice(third, seed: 2)
            wire = try Wire(server, client)
        }

        var room: RoomID { bench.founding.room }
        var key: DeviceKey { third.identity.key }

        func log(of writer: TestRoom) -> LogName {
            LogName(author: writer.identity.key, kind: .records)
        }

        /// A new record of a device that the server hears of.
        func enter(_ writer: TestRoom, _ name: String) throws {
            bench.wall += 1
            try writer.append([bench.row(form, name, 2)], wall: bench.wall)
            try server.take(try writer.seal(wall: bench.wall))
            try wire.run()
        }

        func change(to role: Role) throws {
            bench.wall += 1
            let founder = bench.founder
            let batch = try founder.sealControl(
                [
                    .roleChange(
                        RoleChange(
                            subject: key, role: role,
                            heads: CoveredHeads(
                                control: [],
                                records: try third.ownHead(.records).map { [$0] } ?? []),
                            supersedes: founder.authority.latest(about: key)))
                ], wall: bench.wall)
            try server.refresh()
            try server.take([batch])
            try wire.run()
        }
    }

    /// Everything in these frames that names, or holds, what a contributor may not have.
    private func leaks(_ frames: [[UInt8]], to scene: Scene) throws -> [String] {
        var leaks: [String] = []
        func check(_ log: LogName, _ what: String) {
            if log.kind == .records, log.author != scene.key { leaks.append(what) }
        }
        for frame in frames {
            switch try WireMessage(decoding: frame) {
            case .have(_, let logs, _): for log in logs.keys { check(log, "have") }
            case .announce(_, let log, _, _): check(log, "announce")
            case .want(_, let log, _): check(log, "want")
            case .batch(let batch): check(batch.log, "batch")
            case .end(_, let log, let isLost):
                // It ends a request of its own with nothing in it; only `lost` would tell anything.
                if isLost { check(log, "end") }
            case .acknowledge(_, let list): for entry in list { check(entry.log, "acknowledge") }
            case .state(_, let summary):
                // Over the logs that it may hold, it may be compared; the whole room's never.
                if summary.digest != nil { leaks.append("digest") }
            case .otherHello, .hello, .addresses, .names, .proofs, .ping, .pong, .join: break
            }
        }
        // Whatever the message: nothing of others' records lies anywhere in the bytes.
        let secrets = try [scene.bench.founder, scene.collector].flatMap { writer in
            try scene.bench.founder.rows(
                "SELECT b.id FROM _batch b JOIN _device d ON d.device = b.author "
                    + "WHERE kind = 1 AND d.key = ?1", .blob(writer.identity.key.bytes)
            ).compactMap { row -> [UInt8]? in
                if case .blob(let bytes) = row[0] { bytes } else { nil }
            }
        }
        #expect(!secrets.isEmpty)
        for frame in frames where secrets.contains(where: { contains(frame, $0) }) {
            leaks.append("a batch id of others in \(try WireMessage(decoding: frame))")
        }
        return leaks
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { start in
            bytes[start..<(start + part.count)].elementsEqual(part)
        }
    }

    private func rows(_ writer: TestRoom) throws -> [String] {
        try writer.rows("SELECT name FROM visit ORDER BY name").compactMap { row in
            if case .text(let name) = row[0] { name } else { nil }
        }
    }

    @Test func `it is sent control logs and its own records, and no word of others'`() throws {
        let scene = try Scene(.contributor)
        try scene.enter(scene.collector, "later")
        try scene.enter(scene.bench.founder, "latest")
        try scene.server.tick(after: .seconds(12))
        try scene.wire.run()
        #expect(try leaks(scene.wire.sent, to: scene) == [])
        #expect(try rows(scene.third) == ["own"])
        let controls = try scene.third.integer(
            "SELECT count(*) FROM _batch WHERE kind = 0")
        #expect(controls == Int64(scene.bench.founder.controls.count))
        // A collector in its place is sent all of it, so the frames are looked at rightly.
        let other = try Scene(.collector)
        try other.enter(other.collector, "later")
        #expect(try !leaks(other.wire.sent, to: other).isEmpty)
        #expect(try rows(other.third) == ["founder", "later", "other", "own"])
    }

    @Test func `asking for others' logs by name brings nothing`() throws {
        let scene = try Scene(.contributor)
        for writer in [scene.bench.founder, scene.collector] {
            let log = scene.log(of: writer)
            let head = try #require(try writer.ownHead(.records))
            try scene.wire.inject(.want(scene.room, log, after: []))
            try scene.wire.inject(.want(scene.room, log, after: [head]))
            try scene.wire.inject(
                .announce(
                    scene.room, log, LogHead(number: 9, batch: BatchID(Hash.digest([3]))),
                    operations: 1))
            try scene.wire.inject(
                .have(scene.room, [log: LogState(heads: [head], operations: 1)]))
        }
        try scene.wire.inject(
            .state(
                scene.room,
                RoomSummary(vector: Hash.digest([1]), digest: Hash.digest([2]))))
        let sent = scene.wire.sent.filter { frame in
            // What it named itself may come back as a question; never as an answer.
            guard case .want? = try? WireMessage(decoding: frame) else { return true }
            return false
        }
        #expect(try leaks(sent, to: scene) == [])
        #expect(try rows(scene.third) == ["own"])
    }

    @Test func `a collector made contributor in the middle of a session is sent nothing more`()
        throws
    {
        let scene = try Scene(.collector)
        #expect(try rows(scene.third) == ["founder", "other", "own"])
        // A request that is still to be answered when the role changes.
        try scene.change(to: .contributor)
        let before = scene.wire.sent.count
        try scene.enter(scene.collector, "later")
        try scene.wire.inject(.want(scene.room, scene.log(of: scene.collector), after: []))
        try scene.server.tick(after: .seconds(12))
        try scene.wire.run()
        #expect(try leaks(Array(scene.wire.sent[before...]), to: scene) == [])
        #expect(try rows(scene.third) == ["founder", "other", "own"])
        try scene.enter(scene.third, "mine")
        #expect(try rows(scene.bench.founder).contains("mine"))
    }

    @Test func `it relays nothing of others`() throws {
        let scene = try Scene(.collector)
        try scene.change(to: .contributor)
        // It still holds others' records from before; the next device it meets gets its own.
        let next = try scene.bench.device(.collector)
        try Bench.merge(
            Bench.batches(of: scene.bench.founder).filter { $0.kind == .control }, into: next)
        try Bench.merge(
            Bench.batches(of: scene.bench.founder).filter { $0.kind == .control },
            into: scene.third)
        try scene.client.refresh()
        let receiver = try WiredDevice(next, seed: 3)
        let wire = try Wire(scene.client, receiver, id: 9)
        #expect(try rows(next) == ["own"])
        #expect(try leaks(wire.sent, to: scene) == [])
    }
}
