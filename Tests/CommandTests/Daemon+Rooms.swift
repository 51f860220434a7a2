import JSON
import ShareControl
import ShareTestKit
import Testing

extension Daemon {
    /// A daemon that founded the room `clinic` with the form `visit`.
    static func clinic(_ name: String = "ward-1") async throws -> Daemon {
        let daemon = try await Daemon(name)
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let run = try await daemon.shared("form", "add", "-", input: Sample.form)
        try #require(run.code == 0, "\(run.errors)")
        return daemon
    }

    /// A daemon that joined the room of `other` with a code.
    static func member(_ name: String, of other: Daemon, role: String = "collector") async throws
        -> Daemon
    {
        let daemon = try await Daemon(name, peers: [other])
        try await daemon.join(other, role: role)
        return daemon
    }

    func join(_ other: Daemon, role: String = "collector") async throws {
        let code = try #require(try await other.answer("invite", "--role", role)["code"].string)
        let run = try await shared("join", "clinic", "--code", code)
        try #require(run.code == 0, "\(name) cannot join: \(run.errors)")
        // Records come in after the answer. Not every test has a peer that may tell all.
        _ = try await shared("sync", "--wait", "1s")
    }

    /// Its own id.
    func ownID() async throws -> String {
        try #require(try await answer("status")["device"]["id"].string)
    }

    /// The id of the member of that name.
    func id(of member: String) async throws -> JSONValue {
        let members = try await answer("members").array ?? []
        return try #require(members.first { $0["name"].string == member })["id"]
    }

    /// Builds a package of the room and sets another device up with it.
    func packaged(as name: String) async throws -> (path: String, other: Daemon) {
        let path = folder.path + "/" + name
        let built = try await shared("package", "build", path)
        #expect(built.code == 0, "\(built.errors)")
        let other = try await Daemon("ward-2")
        let run = try await other.shared("package", "install", path)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        return (path, other)
    }

    /// Enters a record and returns its id.
    @discardableResult
    func add(_ name: String, age: Int = 30) async throws -> String {
        let answer = try await answer("add", "visit", "name=\(name)", "age=\(age)")
        return try #require(answer["id"].string)
    }

    /// The names in its records, in order.
    func names() async throws -> [String] {
        try await answer("list", "visit").array?.compactMap { $0["name"].string }.sorted() ?? []
    }

    /// Both send what they have, and have the same then.
    static func share(_ one: Daemon, _ other: Daemon) async throws {
        for daemon in [one, other] { try #require(try await daemon.shared("push").code == 0) }
        try await untilIdentical(one, other)
    }

    /// Has each of two do something while the other is off, the second later; then they meet.
    static func apart(
        _ first: Daemon, _ doing: () async throws -> Void, _ second: Daemon,
        _ later: () async throws -> Void
    ) async throws {
        await second.terminate()
        try await doing()
        await first.terminate()
        try await second.start()
        try await later()
        try await first.start()
        try await untilIdentical(first, second)
    }

    /// Waits until all have the same digest of so many records.
    static func untilIdentical(
        _ daemons: Daemon..., records: Int? = nil, within limit: Duration = .seconds(60),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isSame = await eventually(within: limit) {
            var digests: Set<String> = []
            for daemon in daemons {
                guard let room = try? await daemon.status(), let digest = room["digest"].string
                else { return false }
                if let records, room["records"].number != records { return false }
                digests.insert(digest)
            }
            return digests.count == 1
        }
        guard !isSame else { return }
        var states = ""
        for daemon in daemons {
            let status = try? await daemon.answer("status")
            states += "\n\(daemon.name): \(status?.shown ?? "no answer")\n\(daemon.log)"
        }
        Issue.record("not identical: \(states)", sourceLocation: sourceLocation)
    }

    /// The rows of a form's table, without what is each device's own: rowid and version.
    func dump(_ form: String = "visit") async throws -> [String] {
        let rows = try await sqlite(
            "SELECT _id, (SELECT id FROM device WHERE device = _author), _created, _updated, _state,"
                + " name, age, weight, seen, symptoms FROM \"\(form)\" ORDER BY 1, 2")
        return rows.split(separator: "\n").map(String.init)
    }

    /// What `sqlite3` answers about the room's file, opened for reading.
    func sqlite(_ sql: String) async throws -> String {
        try await CommandRun.sqlite(try file(), sql, "-readonly")
    }
}
