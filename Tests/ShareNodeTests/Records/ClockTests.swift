import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareNode

/// Clocks that are off, and what they do to times that people see.
struct ClockTests {
    private static let keys = (1...4).map { _ in DeviceIdentity.generate().key }

    /// Clocks in seconds ahead of this device's, what is said of its own, and of the first.
    @Test(
        arguments: [
            ([], nil, nil),
            ([299], nil, nil),
            ([-300], nil, "5 min behind this device's"),
            ([10_800], nil, "3 h ahead of this device's"),
            ([10_800, 5], nil, "3 h ahead"),
            ([5, 10_800], nil, nil),
            ([10_800, 10_805], "3 h behind", nil),
            ([-10_800, -10_805, -172_800], nil, "3 h behind this device's"),
            ([315_576_000, 0, 1, 2], nil, "3652 days ahead"),
            ([7_199, 9_000, 20_000], nil, "120 min ahead of this device's"),
        ] as [([Int], String?, String?)])
    func `whose clock is off is what most say`(
        _ ahead: [Int], own: String?, first: String?
    ) {
        let clocks = ClockComparison(
            Dictionary(uniqueKeysWithValues: zip(Self.keys, ahead)))
        #expect(clocks.ownFault == own)
        #expect(clocks.fault(of: Self.keys[0]) == first)
        #expect(clocks.others.contains(Self.keys[0]) == (first != nil))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a device ten years ahead is named, and changes nobody else's dates`() async throws {
        let tenYears: Int64 = 315_619_200_000
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let b = try await TestNode("ward-2", peers: [a])
        let c = try await TestNode("ward-3", peers: [a, b], clockAhead: tenYears)
        for node in [b, c] { try await node.join("clinic", code: try await a.invite()) }
        try await c.push(["from the future"], to: "clinic", form)
        await b.until(records: 1, in: "clinic")
        try await b.push(["now"], to: "clinic", form)
        await a.until(records: 2, in: "clinic")

        let clock = "ward-3's clock is 3653 days ahead"
        #expect(
            await eventually {
                let faults = (try? await a.members())?.flatMap(\.faults) ?? []
                return faults == [clock]
            })
        #expect(
            await eventually {
                let own = (try? await c.members())?.first { $0.isSelf }
                return own?.faults == ["this device's clock is 3653 days ahead"]
            })
        let answer: DoctorAnswer = try await a.get("/v1/doctor")
        let clocks = answer.checks.filter { $0.name == "clock" }
        #expect(clocks.map(\.state) == ["ok", "warning"])
        #expect(clocks.last?.detail == "ward-3 (\(c.short))'s clock is 3653 days ahead")
        let own: DoctorAnswer = try await c.get("/v1/doctor")
        #expect(
            own.checks.first { $0.name == "clock" }?.detail.contains("3653 days ahead") == true)

        let records: [JSONObject] = try await a.get("/v1/records/visit")
        for record in records {
            let name = record["name"]?.string ?? ""
            let created = record["_created"]?.string ?? ""
            let isFuture = created > WallClock.text(WallClock.milliseconds() + 86_400_000)
            #expect(isFuture == (name == "from the future"), "\(name): \(created)")
        }
        #expect(records.count == 2)
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `of two offline writers whose clocks are days apart neither loses rows`() async throws {
        let day: Int64 = 86_400_000
        let a = try await TestNode("ward-1", clockAhead: 3 * day)
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        try await a.push(["both change this", "one deletes this"], to: "clinic", form)
        let b = try await TestNode("ward-2", peers: [a], clockAhead: -2 * day)
        try await b.join("clinic", code: try await a.invite("editor"))
        await b.until(records: 2, in: "clinic")
        for node in [a, b] {
            try await node.node.rooms.setAutopush(false, for: try await node.room("clinic"))
        }

        func id(_ name: String) async throws -> String {
            let entries: [JSONObject] = try await b.get("/v1/records/visit")
            return try #require(entries.first { $0["name"]?.string == name }?["_id"]?.string)
        }
        let changed = "/v1/record/\(try await id("both change this"))"
        let deleted = "/v1/record/\(try await id("one deletes this"))"
        // Neither has heard of what the other one does.
        for node in [a, b] {
            let name = node === a ? "ahead" : "behind"
            let answer = try await node.ask(
                .patch, changed, body: Array(#"{"values":{"name":"\#(name)"}}"#.utf8))
            #expect(answer.status == 200, "\(answer.text)")
        }
        #expect(try await b.ask(.delete, deleted).status == 200)
        try await a.push(["added by ahead"], to: "clinic", form)
        try await b.push(["added by behind"], to: "clinic", form)
        try await TestNode.untilAlike([a, b], in: "clinic")

        for node in [a, b] {
            let entries: [JSONObject] = try await node.get("/v1/records/visit")
            let names = Set(entries.compactMap { $0["name"]?.string })
            #expect(names.isSuperset(of: ["added by ahead", "added by behind"]), "\(names)")
            #expect(entries.count == 3, "the deletion has travelled")
            #expect(try await node.status("clinic").conflicts == 1)
            let conflicts = try await node.ask(.get, "/v1/conflicts").text
            #expect(conflicts.contains("\"ahead\"") && conflicts.contains("\"behind\""))
        }
        await a.stop()
        await b.stop()
    }
}
