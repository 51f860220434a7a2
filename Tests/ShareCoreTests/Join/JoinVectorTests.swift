import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// One whole exchange with fixed secrets, byte for byte as in `Tests/Vectors/join.json`.
///
/// `SHARED_WRITE_VECTORS=1` writes the file anew, after a wanted change of the protocol.
@Suite struct JoinVectorTests {
    private struct Vector: Codable, Equatable {
        struct Head: Codable, Equatable {
            var number: UInt64
            var batch: String
        }
        var code = "k7qx-93mp"
        var exporter = ""
        var joinerSeed = ""
        var inviterSeed = ""
        var joinerKey = ""
        var inviterKey = ""
        var ya = ""
        var yb = ""
        var room = ""
        var founding = ""
        var name = "clinic"
        var control: [Head] = []
        var records: [Head] = []
        var messages: [String] = []
        /// Joining the same room where it is open.
        var openMessages: [String] = []
    }

    private static let file = Repository.url("Tests/Vectors/join.json")

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    private func scalar(_ byte: UInt8, into text: inout String) throws -> CPaceScalar {
        var bytes = [UInt8](repeating: byte, count: CPaceScalar.length)
        text = hex(bytes)
        return try #require(CPaceScalar(taking: &bytes))
    }

    private func sent(_ actions: [JoinJoiner.Action]) throws -> JoinMessage {
        for case .send(let message) in actions { return message }
        throw JoinFailure.violation
    }

    private func sent(_ actions: [JoinInviter.Action]) throws -> JoinMessage {
        for case .send(let message) in actions { return message }
        throw JoinFailure.violation
    }

    private func play() throws -> Vector {
        let (joiner, inviter) = (TestBatches.identity(2), TestBatches.identity(1))
        let founding = TestBatches.founding(by: inviter)
        let exporter = Bytes32([UInt8](0x40..<0x60)) ?? .zero
        var vector = Vector()
        let heads = CoveredHeads(
            control: [], records: [LogHead(number: 300, batch: BatchID(Hash.digest([1])))])
        vector.exporter = hex(exporter.bytes)
        vector.joinerSeed = hex([UInt8](repeating: 2, count: 32))
        vector.inviterSeed = hex([UInt8](repeating: 1, count: 32))
        vector.joinerKey = hex(joiner.key.bytes)
        vector.inviterKey = hex(inviter.key.bytes)
        vector.room = hex(founding.room.bytes)
        vector.founding = hex(founding.bytes)
        vector.records = heads.records.map {
            .init(number: $0.number, batch: hex($0.batch.bytes))
        }

        let channel = try JoinChannel(
            exporter: exporter, joiner: joiner.key, inviter: inviter.key)
        let code = try JoinCode(typed: vector.code)
        let invite = Invite(
            code: code, room: founding.room, role: .collector, made: 0, expires: 1, uses: 1)
        var left = JoinJoiner(
            code: code, channel: channel, identity: joiner,
            scalar: try scalar(5, into: &vector.ya))
        var right = JoinInviter(channel: channel, scalar: try scalar(6, into: &vector.yb))
        let offer = try #require(
            JoinOffer(invite, for: joiner.key, founding: founding.bytes, name: vector.name))
        let start = try sent(left.handle(.connected))
        _ = right.handle(.received(start))
        let reply = try sent(right.handle(.opened(offer)))
        let proof = try sent(left.handle(.received(reply)))
        let welcome = try sent(right.handle(.received(proof)))
        _ = left.handle(.received(welcome))
        let accept = try sent(left.handle(.joiningCommitted(heads)))
        vector.messages = [start, reply, proof, welcome, accept].map { hex($0.encoded) }
        vector.openMessages = try openMessages(channel, joiner, founding, vector.name, heads)
            .map { hex($0.encoded) }
        return vector
    }

    private func openMessages(
        _ channel: JoinChannel, _ joiner: DeviceIdentity, _ founding: Batch, _ name: String,
        _ heads: CoveredHeads
    ) throws -> [JoinMessage] {
        var left = OpenJoiner(wanted: name, channel: channel, identity: joiner)
        var messages: [JoinMessage] = []
        func note(_ actions: [OpenJoiner.Action]) {
            for case .send(let message) in actions { messages.append(message) }
        }
        note(left.handle(.connected))
        let offer = JoinMessage.offer(
            OpenOffer(room: founding.room, founding: founding.bytes, name: name, admits: true))
        messages.append(offer)
        note(left.handle(.received(offer)))
        note(left.handle(.taken))
        note(left.handle(.joiningCommitted(heads)))
        try #require(messages.count == 3)
        return messages
    }

    @Test func `an exchange with fixed secrets has the bytes of the vector`() throws {
        let played = try play()
        if ProcessInfo.processInfo.environment["SHARED_WRITE_VECTORS"] != nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try (encoder.encode(played) + Data("\n".utf8)).write(to: JoinVectorTests.file)
        }
        let stored = try JSONDecoder().decode(
            Vector.self, from: Data(contentsOf: JoinVectorTests.file))
        #expect(played == stored)
    }
}
