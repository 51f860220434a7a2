import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// `Tests/Vectors/room.bundle` and `request.bundle`: bytes that must never change.
struct BundleVectorTests {
    private static let folder = Repository.url("Tests/Vectors")
    private static let writer = DeviceIdentity(seed: [UInt8](repeating: 9, count: 32))

    private static func hex(_ text: Any?) throws -> [UInt8] {
        let digits = Array(try #require(text as? String).utf8)
        return try stride(from: 0, to: digits.count, by: 2).map { place in
            let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
            return try #require(UInt8(pair, radix: 16))
        }
    }

    private static func object(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: folder.appending(path: name))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The room of batches.json, as far as state.json says that it is stored.
    private static func room() throws -> [UInt8] {
        let identity = try #require(writer)
        let state = try object("state.json")
        let stored = Set(
            try #require(state["batches"] as? [[String: Any]])
                .filter { $0["fate"] as? String == "stored" }.compactMap { $0["name"] as? String })
        let batches = try #require(try object("batches.json")["batches"] as? [[String: Any]])
            .filter { stored.contains($0["name"] as? String ?? "") }
            .map { try Batch(verifying: try hex($0["bytes"])) }
        let room = try #require(batches.first?.room)
        var file = BundleWriter()
        var bytes = file.begin(
            BundleHeader(
                room: room, name: "clinic", writer: identity.key, wall: 1_763_683_200_000,
                isWhole: true))
        bytes += file.item(.device(identity.key, name: "ward-1"))
        for batch in batches.filter({ $0.kind == .control })
            + batches.filter({ $0.kind == .records })
        {
            bytes += file.item(.batch(batch.bytes))
        }
        bytes += file.item(
            .state(
                vector: try #require(Digest(try hex(state["vector"]))),
                digest: try #require(Digest(try hex(state["digest"])))))
        return bytes + file.end(by: identity)
    }

    private static func request() throws -> [UInt8] {
        let identity = try #require(writer)
        let head = LogHead(number: 3, batch: BatchID(Hash.digest([1])))
        var file = BundleWriter()
        var bytes = file.begin(
            BundleHeader(
                room: nil, name: "", writer: identity.key, wall: 1_763_683_200_000,
                isWhole: false))
        for room in [nil, RoomID(Hash.digest([2]))] {
            bytes += file.item(
                .request(
                    BundleRequest(
                        by: identity, name: "ward-9", wall: 1_763_683_200_001, room: room,
                        heads: CoveredHeads(control: [], records: room == nil ? [] : [head]))))
        }
        return bytes + file.end(by: identity)
    }

    @Test(arguments: ["room", "request"])
    func `bundles keep their bytes, and another program reads them`(_ name: String) async throws {
        let url = Self.folder.appending(path: name + ".bundle")
        let bytes = Data(name == "room" ? try Self.room() : try Self.request())
        if ProcessInfo.processInfo.environment["SHARED_WRITE_VECTORS"] == "1" {
            try bytes.write(to: url)
        }
        #expect(try Data(contentsOf: url) == bytes)
        let run = try await Interop.run("verify_audit.py", [url.path, "--json"])
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test func `a request that another key signed, or that was changed, is not genuine`() throws {
        var reader = BundleReader()
        reader.append(try Self.request())
        var requests: [BundleRequest] = []
        while let step = try reader.next() {
            if case .item(.request(let request)) = step { requests.append(request) }
        }
        #expect(requests.map(\.isGenuine) == [true, true])
        // The same with one bit of each kind changed.
        let file = try Self.request()
        let start = BundleLimits.magic.count
        for place in start..<file.count {
            var changed = file
            changed[place] ^= 1
            var reader = BundleReader()
            reader.append(changed)
            var genuine = 0
            do throws(BundleError) {
                while let step = try reader.next() {
                    if case .item(.request(let request)) = step, request.isGenuine { genuine += 1 }
                }
                try reader.finish()
                Issue.record("byte \(place) may be changed")
            } catch {
                #expect(genuine <= 2)
            }
        }
    }
}
