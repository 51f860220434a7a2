import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What owners set for a room.
@Suite struct SettingsTests {
    private func set(_ key: String, _ value: String, by writer: TestRoom, _ bench: Bench) throws {
        bench.wall += 1
        _ = try writer.sealControl(
            [.set(Setting(key: key, value: value, parents: writer.heads(ofSetting: key)))],
            wall: bench.wall)
    }

    @Test func `a room is as it was founded until it is set`() throws {
        let bench = try Bench()
        #expect(!bench.founder.settings().isOpen && !bench.founder.settings().isHidden)
        try set("open", "true", by: bench.founder, bench)
        #expect(bench.founder.settings().isOpen)
        // A hidden room is not open, whatever else is set.
        try set("hidden", "true", by: bench.founder, bench)
        #expect(!bench.founder.settings().isOpen && bench.founder.settings().isHidden)
        try set("hidden", "false", by: bench.founder, bench)
        #expect(bench.founder.settings().isOpen && !bench.founder.settings().isHidden)
        try set("open", "false", by: bench.founder, bench)
        #expect(!bench.founder.settings().isOpen)
    }

    @Test(arguments: [(true, false), (false, true), (true, true), (false, false)])
    func `a room founded open or hidden is that from its first batch`(
        isOpen: Bool, isHidden: Bool
    ) throws {
        let scratch = Scratch()
        let identity = DeviceIdentity.generate()
        let founding = RoomStore.found(
            name: "clinic", isOpen: isOpen, isHidden: isHidden, wall: 1_700_000_000_000,
            by: identity)
        // The one batch is all that a joiner is shown before it accepts.
        let joiner = try TestRoom(
            path: scratch.path("joiner"), identity: .generate(), founding: founding)
        #expect(joiner.settings().isHidden == isHidden)
        #expect(joiner.settings().isOpen == (isOpen && !isHidden))
        // A joiner takes it for a founding too.
        let offer = OpenOffer(
            room: founding.room, founding: founding.bytes, name: "clinic", admits: true)
        let channel = try JoinChannel(
            exporter: .zero, joiner: joiner.identity.key, inviter: identity.key)
        var asking = OpenJoiner(wanted: "clinic", channel: channel, identity: joiner.identity)
        _ = asking.handle(.connected)
        #expect(asking.handle(.received(.offer(offer))) == [.consider(offer)])
    }

    @Test(arguments: ["open", "hidden", "autopush"])
    func `owners alone open and hide a room, and say that entries go out as they are made`(
        key: String
    ) throws {
        let bench = try Bench()
        let editor = try bench.device(.editor)
        let owner = try bench.device(.owner)
        for writer in [editor, owner] {
            try Bench.merge(Bench.batches(of: bench.founder), into: writer)
        }
        #expect(throws: StoreError.self) { try set(key, "true", by: editor, bench) }
        try set(key, "true", by: owner, bench)
        // What an editor is allowed here is another setting.
        try set("name", "ward", by: editor, bench)
        #expect(editor.settings().name == "ward")

        // A hostile editor that skips its own check is refused by who receives it.
        let last = try #require(try editor.ownHead(.control))
        let forged = Batch.seal(
            room: bench.founding.room, kind: .control, number: last.number + 1,
            previous: last.batch, clock: Timestamp(milliseconds: bench.wall + 9, counter: 0),
            blocks: [
                .control(
                    ControlBlock(
                        firstIndex: 0,
                        entries: [
                            .init(
                                clock: Timestamp(milliseconds: bench.wall + 9, counter: 0),
                                operation: .set(Setting(key: key, value: "true", parents: [])))
                        ]))
            ], by: editor.identity)
        let ours = try Bench.batches(of: editor)
        let outcomes = try Bench.merge(ours + [forged], into: bench.founder)
        #expect(outcomes.last?.refused == 1)
        func isSet() -> Bool {
            let settings = bench.founder.settings()
            return ["open": settings.isOpen, "hidden": settings.isHidden][key] ?? settings.autopush
        }
        #expect(!isSet())
        try Bench.merge(Bench.batches(of: owner), into: bench.founder)
        #expect(isSet())
    }
}
