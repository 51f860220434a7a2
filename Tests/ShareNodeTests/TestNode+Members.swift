import ShareControl
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareNode

extension TestNode {
    /// The first 8 characters of its id.
    var short: String { node.identity.key.short }

    @discardableResult
    func setRole(_ role: String, of other: TestNode) async throws -> RoleAnswer {
        try await post("/v1/role", RoleRequest(device: other.short, role: role))
    }

    @discardableResult
    func remove(
        _ other: TestNode, reason: String? = nil, since: UInt64? = nil,
        grants: RemoveRequest.Grants = .ask
    ) async throws -> RemovedAnswer {
        try await post(
            "/v1/remove",
            RemoveRequest(
                device: other.short, reason: reason, sinceMilliseconds: since.map { Int($0) },
                grants: grants))
    }

    @discardableResult
    func accept(_ other: TestNode) async throws -> AcceptedAnswer {
        try await post("/v1/accept", AcceptRequest(device: other.short))
    }

    func members(all: Bool = false) async throws -> [MemberAnswer] {
        try await get(all ? "/v1/members?all=true" : "/v1/members")
    }

    /// Enters records and seals and offers them.
    @discardableResult
    func push(
        _ names: [String], to room: String, _ form: OperationName
    ) async throws -> PushAnswer {
        try await add(names, to: room, form)
        return try await post("/v1/push", PushRequest(timeoutMilliseconds: 2_000))
    }

    /// Waits until the room holds so many records and so many refused operations.
    func until(
        records: Int, refused: Int = 0, in room: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let holds = await eventually {
            let status = try? await self.status(room)
            return status?.records == records && status?.refused == refused
        }
        guard !holds else { return }
        let status = try? await status(room)
        Issue.record(
            "\(node.own.name): \(status?.records ?? -1) records, \(status?.refused ?? -1) refused",
            sourceLocation: sourceLocation)
    }

    /// Waits until it knows that it was removed.
    func untilRemoved(
        from room: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let isTold = await eventually {
            (try? await self.status(room).role) == "removed"
        }
        #expect(isTold, "\(node.own.name) was not told", sourceLocation: sourceLocation)
    }

    /// Waits until it shares no room with another node any more.
    func untilParted(
        from other: TestNode, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let isOver = await eventually {
            let key = other.node.identity.key
            return await self.node.sync.peers().allSatisfy { $0.key != key || $0.rooms.isEmpty }
        }
        #expect(isOver, "still connected", sourceLocation: sourceLocation)
    }
}
