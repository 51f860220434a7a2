import FoundationEssentials
import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore
import Testing

@testable import ShareNode

/// What tests do often.
extension TestNode {
    @discardableResult
    func create(
        _ room: String, isOpen: Bool = false, isHidden: Bool = false
    ) async throws -> JoinAnswer {
        try await post(
            "/v1/rooms", CreateRequest(room: room, isOpen: isOpen, isHidden: isHidden))
    }

    /// A code for the current room.
    func invite(_ role: String? = nil, uses: Int? = nil) async throws -> String {
        let answer: InviteAnswer = try await post(
            "/v1/invites", InviteRequest(role: role, uses: uses))
        return answer.code
    }

    func invites() async throws -> [InviteStatus] { try await get("/v1/invites") }

    /// Joins, and gives the records a moment to come in: the answer does not wait for them.
    @discardableResult
    func join(_ room: String, code: String?) async throws -> JoinAnswer {
        let answer: JoinAnswer = try await post("/v1/join", JoinRequest(room: room, code: code))
        if answer.role != nil, let joined = try? await self.room(answer.room.name) {
            _ = await node.sync.untilIdentical(joined.id, within: .milliseconds(500))
        }
        return answer
    }

    /// The room of that name.
    func room(_ name: String) async throws -> OpenRoom {
        try await node.rooms.resolve(name)
    }

    /// Whether it has joined that room, and knows so.
    func isMember(of room: String) async -> Bool {
        guard let room = try? await self.room(room), !room.isJoining else { return false }
        return await node.rooms.role(in: room.id) != nil
    }

    /// Adds a form with one text field, `name`.
    func addForm(to room: String) async throws -> OperationName {
        let room = try await self.room(room)
        let batch = try await node.sealing.control(in: room, as: .editor) { _ in
            [
                .form(
                    FormDefinition(
                        formID: "visit", version: "1", parents: [],
                        fields: [FormField(name: "name", type: .text)], json: "{}"))
            ]
        }
        return OperationName(batch: try #require(batch).id, index: 0)
    }

    /// Enters records of that form.
    func add(_ names: [String], to room: String, _ form: OperationName) async throws {
        try await self.room(room).store.append(
            [.put(NewRows(definition: form, fields: [0], rows: names.map { [.text($0)] }))],
            wall: node.wall())
    }

    /// The status of a room.
    func status(_ name: String) async throws -> RoomStatus {
        let status: StatusAnswer = try await get("/v1/status")
        guard let room = status.rooms.first(where: { $0.name == name }) else {
            throw NoRoute(path: name)
        }
        return room
    }

    /// Catches up with everybody connected.
    func sync() async throws -> SyncAnswer {
        try await work("/v1/sync", SyncRequest(waitMilliseconds: 20_000).jsonText)
    }

    /// The problem that `body` ends with; nil if it ends without one.
    static func problem(_ body: () async throws -> Void) async throws -> Problem? {
        do {
            try await body()
            return nil
        } catch let problem as Problem {
            return problem
        }
    }

    /// Waits until all come to the same, and know the same number of batches.
    static func untilAlike(_ nodes: [TestNode], in room: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            var states: Set<[UInt8]> = []
            for node in nodes {
                let view = try await node.room(room).store.view()
                states.insert(view.digest.bytes + view.vector.bytes)
            }
            if states.count == 1 { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("not alike within 30 s")
    }
}
