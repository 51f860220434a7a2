import JSON
import ShareControl
import ShareTestKit
import Testing

@testable import ShareNode

/// Whatever an edit says of rows within rows, the entry has afterwards what was there and what was
/// said.
@Suite struct RandomRowsTests {
    private static let form = """
        {"form_id":"deep","version":"1","fields":[{"name":"code","type":"text"},
        {"name":"item","type":"repeat","fields":[{"name":"what","type":"text"},
        {"name":"how","type":"text"},
        {"name":"sub","type":"repeat","fields":[{"name":"what","type":"text"},
        {"name":"how","type":"text"},
        {"name":"leaf","type":"repeat","fields":[{"name":"what","type":"text"},
        {"name":"how","type":"text"}]}]}]}]}
        """
    private static let repeats = ["item", "sub", "leaf"]

    /// What is said of the rows of one repeat, and what it has then.
    private struct Edit {
        var request: JSONValue
        var expected: [JSONObject]
    }

    private static func texts(_ random: inout SeededRandom, into row: inout JSONObject) {
        for name in ["what", "how"] where Bool.random(using: &random) {
            row[name] = .string(String(Int.random(in: 1...99, using: &random)))
        }
    }

    private static func new(_ level: Int, _ random: inout SeededRandom) -> JSONObject {
        var row = JSONObject()
        texts(&random, into: &row)
        row["what"] = row["what"] ?? "new"
        if level + 1 < repeats.count, Int.random(in: 0..<3, using: &random) > 0 {
            row[repeats[level + 1]] = .array(
                (0..<Int.random(in: 1...2, using: &random)).map { _ in
                    .object(new(level + 1, &random))
                })
        }
        return row
    }

    /// What is said of a row that there is.
    private static func change(
        _ row: JSONObject, _ level: Int, _ random: inout SeededRandom
    ) -> (request: JSONObject, expected: JSONObject) {
        var request: JSONObject = ["_id": row["_id"] ?? .null]
        var expected = row
        texts(&random, into: &request)
        for member in request.members { expected[member.key] = member.value }
        if level + 1 < repeats.count, Bool.random(using: &random) {
            let name = repeats[level + 1]
            let rows = (row[name]?.array ?? []).compactMap(\.object)
            let edit = edit(rows, level + 1, &random)
            request[name] = edit.request
            expected.members.removeAll { $0.key == name }
            if !edit.expected.isEmpty { expected[name] = .array(edit.expected.map { .object($0) }) }
        }
        return (request, expected)
    }

    private static func edit(
        _ rows: [JSONObject], _ level: Int, _ random: inout SeededRandom
    ) -> Edit {
        let isWhole = Bool.random(using: &random)
        var said: [JSONValue] = []
        var gone: [JSONValue] = []
        var expected: [JSONObject] = []
        for row in rows {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: gone.append(row["_id"] ?? .null)
            case 1, 2:
                if isWhole { said.append(.object(["_id": row["_id"] ?? .null])) }
                expected.append(row)
            default:
                let change = change(row, level, &random)
                said.append(.object(change.request))
                expected.append(change.expected)
            }
        }
        // In a list of all, one without an id is that which stands there, if nothing else is of it.
        let most = rows.count > 3 || isWhole && !gone.isEmpty ? 0 : 2
        for _ in 0..<Int.random(in: 0...most, using: &random) {
            let row = new(level, &random)
            said.append(.object(row))
            expected.append(row)
        }
        return Edit(
            request: isWhole
                ? .array(said) : .object(["change": .array(said), "delete": .array(gone)]),
            expected: expected)
    }

    /// Without ids, its fields by name.
    private static func plain(_ rows: [JSONObject]) -> String {
        rows.map { row in
            row.members.filter { !$0.key.hasPrefix("_") && $0.value != .null }
                .sorted { $0.key < $1.key }.map { member in
                    let inner = member.value.array.map { plain($0.compactMap(\.object)) }
                    return "\(member.key)=\(inner ?? member.value.string ?? "?")"
                }.joined(separator: " ")
        }.map { "[\($0)]" }.joined()
    }

    @Test(.timeLimit(.minutes(1)))
    func `rows within rows are what edits make of them`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let device = try await RecordsDevice()
        _ = try await device.makeRoom()
        let reply = try await device.ask("POST", "/v1/forms", Self.form)
        try #require(reply.status == 200, "\(reply.body)")
        let id = try await device.add(#""code":"H1""#, to: "deep")
        for _ in 0..<20 {
            let entry = try await device.ask("GET", "/v1/record/\(id)").object
            let rows = (entry["item"]?.array ?? []).compactMap(\.object)
            let edit = Self.edit(rows, 0, &random)
            let body = String(
                decoding: JSONValue.object(["values": .object(["item": edit.request])]).text,
                as: UTF8.self)
            let reply = try await device.ask("PATCH", "/v1/record/\(id)", body)
            try #require(reply.status == 200, "\(body): \(reply.body)")
            let found = try await Self.rows(of: id, device)
            try #require(found == Self.plain(edit.expected), "\(Self.plain(rows)) and \(body)")
            // What is done at one moment is one change.
            try await Task.sleep(for: .milliseconds(2))
            guard found != Self.plain(rows), Bool.random(using: &random) else { continue }
            let undone = try await device.ask("POST", "/v1/record/\(id)/undo")
            try #require(undone.status == 200, "\(undone.body)")
            let back = try await Self.rows(of: id, device)
            try #require(back == Self.plain(rows), "\(body)")
            try await Task.sleep(for: .milliseconds(2))
        }
        await device.stop()
    }

    private static func rows(of id: String, _ device: RecordsDevice) async throws -> String {
        let entry = try await device.ask("GET", "/v1/record/\(id)").object
        return plain((entry["item"]?.array ?? []).compactMap(\.object))
    }
}
