import JSON
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore
import Testing

@testable import ShareNode

/// Rows of a file that all lie in one entry.
@Suite struct LongEntryTests {
    private static let form = """
        {"form_id":"m","version":"1","fields":[{"name":"code","type":"text"},
        {"name":"p","type":"repeat","fields":[
        {"name":"n","type":"integer","constraint":". < 100"},
        {"name":"t","type":"text","required":true}]}]}
        """

    /// An entry of so many rows, and as many rows of a file that change them: each is wrong in both
    /// fields.
    private func rows(
        _ count: Int, _ schema: FormSchema, _ own: DeviceKey
    ) -> (entry: RecordRow, parts: [PartCheck.Part]) {
        let name = RecordName(form: "m", creator: own, id: RecordID(high: 1, low: 0))
        let parent = ParentName(name)
        let rows = (1...count).map { number in
            RecordRow(
                name: RecordName(
                    form: "m/p", creator: own, id: RecordID(high: 2, low: UInt64(number))),
                created: 0, updated: 0, state: nil,
                values: [.text(parent.text), .integer(Int64(number)), .integer(1), .text("x")])
        }
        let entry = RecordRow(
            name: name, created: 0, updated: 0, state: nil, values: [.text("x")], repeats: [rows])
        let parts = rows.enumerated().map { place, row in
            PartCheck.Part(
                row: place, line: place + 2, parent: parent, name: row.name,
                values: [2: .integer(500), 3: .absent])
        }
        return (entry, parts)
    }

    private func check(
        _ body: (PartCheck, FormSchema, DeviceKey) async throws -> Void
    ) async throws {
        let device = try await RecordsDevice()
        let room = try await device.makeRoom()
        #expect(try await device.ask("POST", "/v1/forms", Self.form).status == 200)
        let node = device.sharing.node
        let schema = try await node.schemas.find("m", in: room)
        let check = try #require(
            PartCheck(schema, repeat: "m/p", node.surroundings, as: .owner))
        try await body(check, schema, node.own.key)
        await device.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `thousands of wrong rows of one entry are all told`() async throws {
        try await check { check, schema, own in
            let count = 8_000
            let (entry, parts) = rows(count, schema, own)
            let made = try check.check(entry, parts)
            #expect(made.problems.count == 2 * count)
            #expect(made.problems.last?.line == count + 1)
            #expect(made.problems.last?.column == "t")
            #expect(made.problems.last?.hint == "The cell is empty.")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows are held against their entry no longer than somebody waits`() async throws {
        try await check { check, schema, own in
            let (entry, parts) = rows(10, schema, own)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try check.check(entry, parts).problems.count
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
