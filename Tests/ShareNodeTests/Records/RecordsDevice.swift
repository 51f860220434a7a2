import JSON
import ShareControl
import ShareCore
import ShareNode
import ShareStore
import Testing

/// A node with its control socket, asked as the command line asks.
struct RecordsDevice {
    let sharing: TestNode
    let server: HTTPTestServer

    /// An answer with its body put together.
    struct Reply {
        let status: Int
        let body: String

        var json: JSONValue { (try? JSONValue(text: Array(body.utf8))) ?? .null }
        var object: JSONObject { json.object ?? JSONObject() }
        /// The last line of an answer to long work.
        var outcome: JSONObject {
            let line = body.split(separator: "\n").last.map { Array($0.utf8) } ?? []
            return (try? JSONValue(text: line))?.object ?? JSONObject()
        }
        var result: JSONObject { outcome["result"]?.object ?? JSONObject() }
        func count(_ name: String) -> Int? {
            if case .integer(let number)? = result[name] { Int(number) } else { nil }
        }
    }

    init(
        _ name: String = "ward-1", peers: [RecordsDevice] = [], ticks: Bool = false
    ) async throws {
        sharing = try await TestNode(name, peers: peers.map(\.sharing), ticks: ticks)
        let node = sharing.node
        server = try HTTPTestServer { $0 = ControlRoutes(node: node).router() }
    }

    func stop() async {
        await server.stop()
        await sharing.stop()
    }

    /// A room with the form of the examples.
    func makeRoom() async throws -> OpenRoom {
        let room = try await sharing.node.rooms.create("clinic", isOpen: false)
        try await sharing.node.rooms.setAutopush(false, for: room)
        let reply = try await ask("POST", "/v1/forms", RecordsDevice.form)
        #expect(reply.status == 200, "\(reply.body)")
        return room
    }

    func ask(_ method: String, _ path: String, _ body: String = "") async throws -> Reply {
        let text = try await HTTPTestClient.ask(server.path, "\(method) \(path)", body: body)
        return RecordsDevice.reply(text)
    }

    func add(_ values: String, to form: String = "viruses") async throws -> String {
        let reply = try await ask("POST", "/v1/records/\(form)", "{\"values\":{\(values)}}")
        #expect(reply.status == 201, "\(reply.body)")
        return reply.object["id"]?.string ?? ""
    }

    /// What the form `visit` makes of the body's answers.
    func state(_ body: String) async throws -> EntryStateAnswer {
        let reply = try await ask("POST", "/v1/forms/visit/state", body)
        #expect(reply.status == 200, "\(reply.body)")
        return try EntryStateAnswer(json: reply.json)
    }

    func importing(_ csv: String, form: String = "viruses") async throws -> Reply {
        try await ask("POST", "/v1/import/\(form)", csv)
    }

    static func reply(_ text: String) -> Reply {
        let bytes = Array(text.utf8)
        let end = Array("\r\n\r\n".utf8)
        var split = 0
        while split + 4 <= bytes.count, !bytes[split..<split + 4].elementsEqual(end) { split += 1 }
        let head = String(decoding: bytes[..<min(split, bytes.count)], as: UTF8.self)
        var body = Array(bytes.dropFirst(split + 4))
        if head.lowercased().contains("transfer-encoding: chunked") { body = dechunked(body) }
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Reply(status: status, body: String(decoding: body, as: UTF8.self))
    }

    private static func dechunked(_ bytes: [UInt8]) -> [UInt8] {
        var whole: [UInt8] = []
        var place = 0
        while let end = bytes[place...].firstIndex(of: 13) {
            let digits = String(decoding: bytes[place..<end], as: UTF8.self)
            guard let length = Int(digits, radix: 16), length > 0,
                end + 2 + length <= bytes.count
            else { break }
            whole += bytes[end + 2..<end + 2 + length]
            place = end + 2 + length + 2
            guard place < bytes.count else { break }
        }
        return whole
    }

    static let form = """
        {"form_id":"viruses","version":"1","title":{"en":"Viruses"},"key":["number","patient"],
        "fields":[{"name":"number","type":"integer","required":true},
        {"name":"name","type":"text"},{"name":"patient","type":"integer"},
        {"name":"recovery","type":"integer","x":{"unit":"%"}},{"name":"weight","type":"decimal"},
        {"name":"seen","type":"date"},{"name":"signs","type":"select_multiple","list":"signs"}],
        "lists":{"signs":[{"name":"fever","label":"Fever"},{"name":"rash","label":"Rash"}]}}
        """
}
