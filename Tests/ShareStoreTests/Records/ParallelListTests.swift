import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Versions of one list by what their authors had seen, and by what is in them.
struct ParallelListTests {
    private static func content(
        _ names: [String], columns: [String] = ["name"]
    ) throws -> ListContent {
        var content = try ListContent(columns: columns)
        for name in names { try content.append(columns.map { _ in name }) }
        return content
    }

    @discardableResult
    private func add(
        _ names: [String]?, as list: String = "fur", by room: TestRoom, _ wall: UInt64
    ) throws -> [Batch] {
        try room.decide(
            try room.file.room.version(ofList: list, names.map { try Self.content($0) }),
            wall: wall)
    }

    private func parallel(_ room: TestRoom) throws -> [ParallelListVersions] {
        var known: [OperationName: Digest] = [:]
        let found = try room.file.room.parallelLists(knowing: &known)
        // What was read before says the same.
        let again = try room.file.room.parallelLists(knowing: &known)
        #expect(again.map(\.list) == found.map(\.list))
        return found
    }

    /// The founder, and an editor who has what the founder has.
    private func pair(_ bench: Bench) throws -> (TestRoom, TestRoom) {
        let editor = try bench.device(.editor)
        try meet(bench.founder, editor)
        return (bench.founder, editor)
    }

    private func meet(_ a: TestRoom, _ b: TestRoom) throws {
        try Bench.merge(try Bench.batches(of: a), into: b)
        try Bench.merge(try Bench.batches(of: b), into: a)
    }

    @Test func `versions that nobody has seen together are parallel, until somebody has`() throws {
        let bench = try Bench()
        try add(["cat"], by: bench.founder, bench.wall)
        try add(["x"], as: "other", by: bench.founder, bench.wall)
        let (founder, editor) = try pair(bench)
        try add(["cat", "dog"], by: founder, bench.wall + 10)
        try add(["cat", "fox"], by: editor, bench.wall + 20)
        // The later one of these two has seen the other: it alone is spoken of.
        try add(["cat", "fox", "hen"], by: editor, bench.wall + 30)
        #expect(try parallel(founder).isEmpty && parallel(editor).isEmpty)
        try meet(founder, editor)
        for device in [founder, editor] {
            let told = try #require(try parallel(device).first)
            #expect(try parallel(device).count == 1 && told.list == "fur")
            #expect(told.inForce.author == editor.identity.key && told.inForce.rows == 3)
            #expect(told.others.map(\.author) == [founder.identity.key])
            #expect(told.others[0].rows == 2 && told.others[0].wall.milliseconds == bench.wall + 10)
            let parts = try device.file.room.parts(told.others[0].plan.parts).map(\.rows)
            #expect(parts == [ListPart([[Array("cat".utf8)], [Array("dog".utf8)]])])
        }
        try founder.rebuild()
        #expect(try parallel(founder).count == 1)
        try add(["cat", "dog", "fox", "hen"], by: founder, bench.wall + 40)
        try meet(founder, editor)
        #expect(try parallel(founder).isEmpty && parallel(editor).isEmpty)
    }

    @Test func `the same rows on both leave nothing out; other columns do`() throws {
        let bench = try Bench()
        let (founder, editor) = try pair(bench)
        try add(["cat", "dog"], by: founder, bench.wall + 10)
        try add(["cat", "dog"], by: editor, bench.wall + 20)
        try meet(founder, editor)
        #expect(try parallel(founder).isEmpty && parallel(editor).isEmpty)
        #expect(try add(["cat", "dog"], by: founder, bench.wall + 25).isEmpty)
        for (device, column) in [(founder, "label"), (editor, "group")] {
            let content = try Self.content(["cat", "fox"], columns: ["name", column])
            _ = try device.decide(
                try device.file.room.version(ofList: "fur", content), wall: bench.wall + 30)
        }
        try meet(founder, editor)
        #expect(try parallel(founder).count == 1 && parallel(editor).count == 1)
    }

    @Test func `a list that was taken away beside a new version is told, and can stay so`() throws {
        for isRemovedLater in [false, true] {
            let bench = try Bench()
            try add(["cat"], by: bench.founder, bench.wall)
            let (founder, editor) = try pair(bench)
            try add(["cat", "dog"], by: editor, bench.wall + 20)
            try add(nil, by: founder, bench.wall + (isRemovedLater ? 30 : 10))
            try meet(founder, editor)
            let told = try #require(try parallel(editor).first)
            #expect(told.inForce.rows == (isRemovedLater ? 0 : 2))
            #expect(told.others.map(\.rows) == [isRemovedLater ? 2 : 0])
            // What is in force can be said to stay in force.
            try add(isRemovedLater ? nil : ["cat", "dog"], by: founder, bench.wall + 40)
            try meet(founder, editor)
            for device in [founder, editor] {
                #expect(try parallel(device).isEmpty)
                let list = RoomLists(path: device.path).list("fur")
                #expect(list?.rows == (isRemovedLater ? nil : 2))
            }
            #expect(try add(isRemovedLater ? nil : ["cat", "dog"], by: founder, 50).isEmpty)
        }
    }

    @Test func `what does not count is no version, and what was before it has been seen`() throws {
        let bench = try Bench()
        try add(["cat"], by: bench.founder, bench.wall)
        let (founder, editor) = try pair(bench)
        try add(["cat", "fox"], by: editor, bench.wall + 10)
        try meet(founder, editor)
        try add(["hen"], by: founder, bench.wall + 20)
        try bench.remove(editor.identity.key)
        #expect(RoomLists(path: founder.path).list("fur")?.rows == 1)
        #expect(try parallel(founder).isEmpty)
    }
}
