import FoundationEssentials
import JSON
import ShareControl
import ShareNode
import ShareTestKit
import Testing

/// docs/openapi.yaml against a running node: the same routes, and in each answer what the
/// description calls required.
@Suite struct OpenAPITests {
    let document: [String]

    init() throws {
        let bytes = try Data(contentsOf: Repository.url("docs/openapi.yaml"))
        document = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    @Test func `the description and the daemon have the same routes`() async throws {
        var described: Set<String> = []
        var path = ""
        for line in document.prefix(while: { $0 != "components:" }) {
            if line.hasPrefix("  /v1/") {
                path = String(line.dropFirst(2).dropLast())
            } else if line.hasPrefix("    "), line.hasSuffix(":"), !line.hasPrefix("     ") {
                described.insert("\(line.dropFirst(4).dropLast().uppercased()) \(path)")
            }
        }
        let node = try await TestNode("openapi-routes")
        let router = ControlRoutes(node: node.node).router()
        #expect(Set(router.descriptions) == described)
        await node.stop()
    }

    @Test func `answers have what the description requires`() async throws {
        let node = try await TestNode("openapi-answers")
        _ = try await node.create("clinic")
        _ = try await node.invite()
        let answers: [(path: String, schema: String)] = [
            ("/v1/version", "VersionAnswer"), ("/v1/status", "StatusAnswer"),
            ("/v1/members", "MemberAnswer"), ("/v1/rooms", "RoomAnswer"),
            ("/v1/doctor", "DoctorAnswer"), ("/v1/settings/autopush", "AutopushAnswer"),
            ("/v1/settings/room", "RoomSettingsAnswer"), ("/v1/invites", "InviteStatus"),
            ("/v1/views", "ViewsAnswer"), ("/v1/activity", "ActivityAnswer"),
            ("/v1/searches", "SearchesAnswer"), ("/v1/search?text=a", "SearchAnswer"),
        ]
        for (path, schema) in answers {
            let json = try JSONValue(text: try await node.ask(.get, path).bytes)
            let object =
                if case .array(let items) = json { try #require(items.first) } else { json }
            let members = try object.members()
            for name in try required(of: schema) {
                #expect(members[name] != nil, "\(schema) lacks \(name)")
            }
        }
        let problem = try JSONValue(text: try await node.ask(.get, "/v1/forms/none").bytes)
        for name in try required(of: "Problem") {
            #expect(try problem.members()[name] != nil, "Problem lacks \(name)")
        }
        await node.stop()
    }

    private func required(of schema: String) throws -> [String] {
        let start = try #require(document.firstIndex(of: "    \(schema):"), "no \(schema)")
        let line = try #require(
            document[start...].first { $0.hasPrefix("      required: [") },
            "\(schema) requires nothing")
        return line.dropFirst("      required: [".count).dropLast().split(separator: ",")
            .map { String($0.drop { $0 == " " }) }
    }
}
