import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// A member that claims to have what it does not send, beside one that has it.
@Suite struct SyncTurnTests {
    private static let evil = SessionID(1)
    private static let honest = SessionID(2)
    private static let third = SessionID(3)

    private let own = TestBatches.identity(1)
    private let founder = TestBatches.identity(2)
    private let peers = [3, 4, 5].map { TestBatches.identity($0) }
    private let founding: Batch

    init() { founding = TestBatches.founding(by: founder) }

    private struct Device {
        var engine: SyncEngine
        var now = Duration.seconds(1)
        var sent: [(session: SessionID, message: WireMessage)] = []

        mutating func handle(_ event: SyncEngine.Event) {
            for action in engine.handle(event, now: now, wall: 0) {
                if case .send(let id, let message) = action { sent.append((id, message)) }
            }
        }

        func wants(of id: SessionID, _ log: LogName) -> Int {
            sent.filter {
                guard $0.session == id, case .want(_, log, _) = $0.message else { return false }
                return true
            }.count
        }
    }

    private func log(_ kind: LogKind) -> LogName { LogName(author: founder.key, kind: kind) }

    private func head(_ number: UInt64) -> LogHead {
        LogHead(number: number, batch: BatchID(Hash.digest(Array("\(number)".utf8))))
    }

    private func have(_ log: LogName, _ number: UInt64) -> WireMessage {
        .have(founding.room, [log: LogState(heads: [head(number)], operations: number)])
    }

    /// A device that holds the founding and one batch of records, with a session to each peer.
    private func device(_ batch: Batch) -> Device {
        let keys = [own, founder] + peers
        let standings = Dictionary(
            uniqueKeysWithValues: keys.map { ($0.key, RoomView.Standing.member(.collector)) })
        let logs = [
            founding.log: LogState(heads: [founding.head], operations: 1),
            batch.log: LogState(heads: [batch.head], operations: 1),
        ]
        var device = Device(
            engine: SyncEngine(key: own.key, name: "own", random: SeededRandom(seed: 1)))
        device.handle(
            .room(
                RoomView(
                    room: founding.room, logs: logs, standings: standings,
                    known: Set(standings.keys), vector: RoomView.vector(of: logs),
                    digest: founding.id.digest, isReapplying: false)))
        for (place, peer) in peers.enumerated() {
            let id = [Self.evil, Self.honest, Self.third][place]
            let exporter = Hash.digest([UInt8(place)]).value
            device.handle(
                .opened(
                    id, peer: peer.key, isInitiator: true, exporter: exporter, address: "x",
                    network: "x"))
            let bytes =
                Array("shared room proof 1".utf8) + exporter.bytes + [UInt8(ascii: "S")]
                + own.key.bytes + peer.key.bytes
            let proof = Hash.digest(bytes, key: founding.room.digest.value)
            let padding = (1..<UInt8(SyncLimits.proofs)).map { Hash.digest([$0]) }
            device.handle(
                .received(
                    id,
                    .hello(
                        WireMessage.Hello(
                            version: SyncLimits.protocolVersion, name: "peer", wall: 0,
                            instance: UInt64(place), proofs: [proof] + padding))))
        }
        return device
    }

    private func records() -> Batch { TestBatches.puts(1, after: founding, by: founder) }

    @Test(arguments: [LogKind.control, .records])
    func `who sends what is held already does not keep others from being asked`(kind: LogKind) {
        let batch = kind == .control ? founding : records()
        var device = device(records())
        device.handle(.received(Self.evil, have(log(kind), 500)))
        #expect(device.wants(of: Self.evil, log(kind)) == 1)
        device.handle(.received(Self.honest, have(log(kind), 40)))
        #expect(device.wants(of: Self.honest, log(kind)) == 0)
        for _ in 0..<4 where device.wants(of: Self.honest, log(kind)) == 0 {
            device.now += .milliseconds(1_500)
            device.handle(.received(Self.evil, .batch(batch)))
            device.handle(
                .merged(founding.room, from: Self.evil, [outcome(of: batch, .known)]))
            device.handle(.tick)
        }
        #expect(device.wants(of: Self.honest, log(kind)) == 1)
    }

    @Test func `who brings a little that is new does not keep others from being asked for long`() {
        let batch = records()
        var device = device(batch)
        device.handle(.received(Self.evil, have(log(.records), 500)))
        device.handle(.received(Self.honest, have(log(.records), 40)))
        var time = Duration.zero
        while device.wants(of: Self.honest, log(.records)) == 0, time < .seconds(60) {
            time += .milliseconds(1_500)
            device.now += .milliseconds(1_500)
            device.handle(.received(Self.evil, .batch(batch)))
            device.handle(
                .merged(founding.room, from: Self.evil, [outcome(of: batch, .stored)]))
            device.handle(.tick)
        }
        #expect(time >= SyncLimits.askTurn)
        #expect(device.wants(of: Self.honest, log(.records)) == 1)
    }

    @Test func `who claims again and again and sends nothing does not come first again`() {
        var device = device(records())
        device.handle(.received(Self.evil, have(log(.records), 500)))
        device.handle(.received(Self.honest, have(log(.records), 40)))
        // The next claim is made before the last request ends.
        device.handle(.received(Self.evil, have(log(.records), 501)))
        device.handle(
            .received(Self.evil, .end(founding.room, log(.records), isLost: false)))
        #expect(device.wants(of: Self.evil, log(.records)) == 1)
        #expect(device.wants(of: Self.honest, log(.records)) == 1)
    }

    @Test func `a look-up that finds all held takes nobody's turn away`() {
        let batch = records()
        var device = device(batch)
        let forked = LogState(heads: [head(500), head(501)], operations: 500)
        device.handle(.received(Self.evil, .have(founding.room, [log(.records): forked])))
        #expect(device.wants(of: Self.evil, log(.records)) == 0)
        // While that is looked up another one is asked.
        device.handle(.received(Self.honest, have(log(.records), 40)))
        #expect(device.wants(of: Self.honest, log(.records)) == 1)
        device.handle(
            .found(Self.evil, founding.room, log(.records), missing: [], positions: []))
        device.handle(.received(Self.third, have(log(.records), 40)))
        #expect(device.wants(of: Self.third, log(.records)) == 0)
    }

    @Test func `who was looked up while another was asked is not asked beside that one`() {
        var device = device(records())
        let forked = LogState(heads: [head(500), head(501)], operations: 500)
        device.handle(.received(Self.evil, .have(founding.room, [log(.records): forked])))
        device.handle(.received(Self.honest, have(log(.records), 40)))
        #expect(device.wants(of: Self.honest, log(.records)) == 1)
        device.handle(
            .found(
                Self.evil, founding.room, log(.records), missing: forked.heads, positions: []))
        #expect(device.wants(of: Self.evil, log(.records)) == 0)
        // Once that one has had its turn, it is asked.
        device.handle(
            .received(Self.honest, .end(founding.room, log(.records), isLost: false)))
        device.handle(
            .found(
                Self.evil, founding.room, log(.records), missing: forked.heads, positions: []))
        #expect(device.wants(of: Self.evil, log(.records)) == 1)
    }

    @Test func `whatever a peer tells of, a bounded number of logs is noted`() throws {
        var device = device(records())
        for message in 0..<4 {
            var told: [LogName: LogState] = [:]
            for number in 0..<SyncLimits.logs {
                let author = DeviceKey(Hash.digest(Array("\(message) \(number)".utf8)).value)
                told[LogName(author: author, kind: .control)] = LogState(
                    heads: [head(1)], operations: 1)
            }
            device.handle(.received(Self.evil, .have(founding.room, told)))
        }
        let link = try #require(device.engine.sessions[Self.evil]?.links[founding.room])
        #expect(link.peerLogs.count >= SyncLimits.logs)
        #expect(link.peerLogs.count <= SyncLimits.logs + 4 * (2 + peers.count))
    }

    private func outcome(of batch: Batch, _ fate: MergeOutcome.Fate) -> MergeOutcome {
        MergeOutcome(
            log: batch.log, head: batch.head, fate: fate,
            size: batch.bytes.count, accepted: 1, waiting: 0, refused: 0)
    }
}
