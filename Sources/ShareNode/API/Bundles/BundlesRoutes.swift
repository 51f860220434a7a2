import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// The routes of bundles: a room, or a request to join one, in a file.
extension ControlRoutes {
    func registerBundles(_ router: inout Router) {
        router.on(.get, "/v1/bundle") { request in
            await answer { try await bundle(request) }
        }
        router.on(.get, "/v1/bundle/request") { request in
            await answer { try await joinRequest(request) }
        }
        router.on(.post, "/v1/bundle", body: .streamed) { request in
            await answer { try await readBundle(request) }
        }
    }

    // MARK: Writing

    private func bundle(_ request: HTTPRequest) async throws -> HTTPResponse {
        let room = try await room(request)
        let authority = await room.store.authority()
        var reader: DeviceKey?
        if let text = request.query["for"] {
            reader = try await member(text, of: room)
        }
        // Owners alone get batches past a cutoff: they can accept the records among them.
        let isForOwner = reader.flatMap { authority.currentRole(of: $0) } == .owner
        let isWhole = try flag("whole", of: request) || isForOwner
        // What is entered and not sealed would stay behind.
        var notes: [String] = []
        if authority.currentRole(of: node.identity.key) != nil {
            do {
                _ = try await node.seal(room)
            } catch StoreError.sealingBlocked {
                notes = ["what was entered here and waits to be sealed is not in it: shared status"]
            }
        }
        let archive = try await room.store.archive(for: reader, isWhole: isWhole)
        var devices: [(key: DeviceKey, name: String)] = []
        for member in authority.members.map(\.device) + authority.formerMembers.map(\.device) {
            let name = await node.named(member).name
            // A short id says nothing that the key does not.
            if name != member.short { devices.append((member, name)) }
        }
        let header = BundleHeader(
            room: room.id, name: RoomName.shortened(room.name, to: Limits.roomName),
            writer: node.identity.key, wall: Node.wall(), isWhole: isWhole)
        let stream = BundleStream(archive, header: header, devices: devices, by: node.identity)
        return HTTPResponse(
            contentType: BundleLimits.mediaType,
            headers: Self.headers(notes + (reader == nil ? leftOut(archive, authority) : [])),
            heartbeat: false
        ) { writer in
            try await stream.run { try await writer.write($0) }
        }
    }

    /// What to say where batches that do not count stay out of a file that is for any member.
    private func leftOut(_ archive: RoomArchive, _ authority: Authority) -> [String] {
        let count = archive.excludedCount
        guard count > 0, let owner = authority.owners.first(where: { $0 != node.identity.key })
        else { return [] }
        let batches = count == 1 ? "1 batch" : "\(count) batches"
        return [
            "\(batches) of removed devices not in it, which only owners are given; for one, who can"
                + " accept them: shared bundle write FILE --for \(owner.short)"
        ]
    }

    /// A member by the whole of its id, or by the beginning of it.
    private func member(_ text: String, of room: OpenRoom) async throws -> DeviceKey {
        let work = MembersWork(node: node, room: room)
        let key = try await work.find(text)
        guard await room.store.authority().currentRole(of: key) != nil else {
            throw await work.noMember(await node.named(key), key)
        }
        return key
    }

    private func joinRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let room = try await namedRoom(request)
        let heads = try await room?.ownHeads() ?? CoveredHeads(control: [], records: [])
        let wish = BundleRequest(
            by: node.identity, name: node.name, wall: Node.wall(), room: room?.id, heads: heads)
        let header = BundleHeader(
            room: nil, name: "", writer: node.identity.key, wall: Node.wall(), isWhole: false)
        var writer = BundleWriter()
        var bytes = writer.begin(header)
        bytes += writer.item(.request(wish))
        bytes += writer.end(by: node.identity)
        return HTTPResponse(contentType: BundleLimits.mediaType, body: bytes)
    }

    // MARK: Reading

    private func readBundle(_ request: HTTPRequest) async throws -> HTTPResponse {
        let admission = try BundleAdmission(
            device: request.query["admit"], role: request.query["role"])
        var bundle = BundleRead(
            node: node, room: request.query["room"], mayJoin: try flag("join", of: request))
        try await bundle.read(request.pieces)
        var answer = bundle.answer
        guard !bundle.requests.isEmpty || admission != nil else {
            return HTTPResponse(body: answer.jsonText)
        }
        let room: OpenRoom =
            if let own = bundle.room { own } else { try await self.room(request) }
        if let admission {
            answer.admitted = try await admission.admit(bundle.requests, to: room, on: node)
        }
        answer.room = room.named
        let authority = await room.store.authority()
        answer.requests = bundle.requests.map { BundleRequestAnswer($0, in: authority) }
        return HTTPResponse(body: answer.jsonText)
    }
}
