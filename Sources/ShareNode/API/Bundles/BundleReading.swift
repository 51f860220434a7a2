import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Reads bundles into rooms, and admits the devices that ask in them.
struct BundleReading: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let rooms: RoomBook
    let sync: SyncService
    let sealing: Sealing
    let reach: ReachService
    let membership: Membership
    let advertising: Advertising
    let meetings: MeetingNotes

    /// Reads a whole file into the room that it is of, and admits who asks in it where that is
    /// wanted.
    ///
    /// - Parameter named: the room named by the user; nil for the current one.
    func read(
        _ upload: HTTPUpload, room named: String?, mayJoin: Bool, admitting wish: BundleAdmission?
    ) async throws -> BundleAnswer {
        var bundle = BundleRead(self, room: named, mayJoin: mayJoin)
        try await bundle.read(upload)
        var answer = bundle.answer
        guard !bundle.requests.isEmpty || wish != nil else { return answer }
        let room: OpenRoom =
            if let own = bundle.room { own } else { try await rooms.resolve(named) }
        if let wish { answer.admitted = try await admit(wish, of: bundle.requests, to: room) }
        answer.room = room.named
        let authority = await room.store.authority()
        answer.requests = bundle.requests.map { BundleRequestAnswer($0, in: authority) }
        return answer
    }

    /// Writes the grant, or finds the one that holds.
    private func admit(
        _ wish: BundleAdmission, of requests: [BundleRequest], to room: OpenRoom
    ) async throws -> BundleRequestAnswer {
        let found = requests.filter {
            DeviceText.matches(wish.device, $0.key) && ($0.room == nil || $0.room == room.id)
        }
        guard let request = found.first else {
            throw Problem(
                .notFoundRequest, "no device of that id asks to be admitted to \(room.name)",
                hint: "`shared bundle read FILE` lists those that do.")
        }
        let authority = await room.store.authority()
        try wish.role.require(
            admitter: authority.currentRole(of: own.key), owners: await names.owners(in: room))
        func next(_ heads: [LogHead]) -> UInt64 { (heads.map(\.number).max() ?? 0) + 1 }
        _ = try await room.admit(
            request.key, as: wish.role, firstControl: next(request.heads.control),
            firstRecords: next(request.heads.records), through: sealing)
        await membership.refresh(room)
        await reach.note([request.key: request.name])
        await reach.shareNames()
        var answer = BundleRequestAnswer(request, in: await room.store.authority())
        answer.before = authority.currentRole(of: request.key)?.name
        return answer
    }
}

/// The wish to admit one of the devices that ask in a bundle.
struct BundleAdmission: Sendable {
    let device: String
    let role: Role

    /// Nil where nobody is to be admitted.
    ///
    /// - Throws: `Problem` for too little of a device's id, and for an unknown role.
    init?(device: String?, role: String?) throws {
        guard let device else {
            guard role == nil else {
                throw Problem(
                    .badRequest, "a role is for a device that is admitted",
                    hint: "Say which: --admit DEVICE.")
            }
            return nil
        }
        let role = try role.map { try Role(typed: $0) } ?? .collector
        // Eight characters can be made to match by whoever has the file in hand and a computer.
        guard DeviceText.plain(device).utf8.count >= BundleLimits.comparedCharacters else {
            throw Problem(
                .badRequest,
                "the first \(BundleLimits.comparedCharacters) characters of the id are needed",
                hint: "Compare them with what the device showed as it wrote its request.")
        }
        self.device = device
        self.role = role
    }
}

extension BundleRequestAnswer {
    init(_ request: BundleRequest, in authority: Authority) {
        self.init(
            id: request.key.text, name: request.name, asked: WallClock.text(request.wall),
            role: authority.currentRole(of: request.key)?.name)
    }
}
