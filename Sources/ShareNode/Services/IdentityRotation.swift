import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Another identity for this device, after its key was copied or may be in other hands.
extension Node {
    /// How long members in reach have to take what the old identity has to give.
    private static let handover = Duration.seconds(5)

    /// Seals and offers what is pending, admits the new identity where the old one may, and puts
    /// it in its place. The node has to be started anew then.
    ///
    /// - Throws: whatever sealing throws, `DataDirectoryError`; then nothing has changed, and
    ///   another try goes on with the same new identity.
    func renewIdentity() async throws -> IdentityChangedAnswer {
        guard renewal.begin() else {
            throw Problem(.busy, "the identity of this device is being changed already")
        }
        do {
            let next = try data.nextIdentity().key
            let open = await rooms.all()
            var changes: [IdentityRoom] = []
            for room in open { changes.append(try await handOver(room, to: next)) }
            let kept = try await replaceIdentity(in: open)
            log.notice(
                "this device has a new identity",
                ["device": next.short, "before": identity.key.short])
            return IdentityChangedAnswer(
                device: NamedDevice(id: next.text, name: name),
                former: NamedDevice(id: identity.key.text, name: name), kept: kept,
                rooms: changes)
        } catch {
            renewal.giveUp()
            throw error
        }
    }

    /// The role that a member may pass on by itself: owners admit anyone, editors nobody of
    /// their own kind.
    private static func passedOn(by role: Role?) -> Role? {
        switch role {
        case .owner: .owner
        case .editor: .collector
        case .reviewer, .collector, .contributor, .viewer, nil: nil
        }
    }

    private func handOver(_ room: OpenRoom, to next: DeviceKey) async throws -> IdentityRoom {
        let before = await room.store.authority()
        let role = before.currentRole(of: identity.key)
        var change = IdentityRoom(room: room.named, role: nil, formerRole: role?.name)
        guard role != nil else { return change }
        let keepsAnOwner =
            role != .owner
            || before.members.contains { $0.role == .owner && $0.device != identity.key }
        do {
            _ = try await seal(room)
        } catch StoreError.sealingBlocked where keepsAnOwner {
            // Its log is lost here, and perhaps everywhere: what is pending becomes the new one's.
            return change
        }
        if let role = Node.passedOn(by: role) {
            do {
                _ = try await room.admit(
                    next, as: role, firstControl: 1, firstRecords: 1, through: sealing,
                    within: Node.handover)
            } catch StoreError.notAllowed(ControlRefusal.ofForkedLog) {
                // Its key may be in other hands; all the more it needs another one.
            }
        }
        let authority = await room.store.authority()
        change.role = authority.currentRole(of: next)?.name
        var holders: Set<DeviceKey> = []
        for kind in [LogKind.control, .records] {
            let log = LogName(author: identity.key, kind: kind)
            let found = await sync.holders(of: log, in: room.id, within: Node.handover)
                .filter { $0.value == .delivered }
            holders = kind == .control ? Set(found.keys) : holders.intersection(found.keys)
        }
        for member in authority.members
        where member.role.readsAll && member.device != identity.key && member.device != next
            && !holders.contains(member.device)
        {
            change.missing.append(await named(member.device))
        }
        return change
    }

    /// - Returns: the name of the file that keeps the old identity.
    private func replaceIdentity(in open: [OpenRoom]) async throws -> String {
        var retired: [OpenRoom] = []
        do {
            // What is entered from here on would be pending under a key that is gone.
            for room in open {
                _ = try await room.store.retire(wall: Node.wall())
                retired.append(room)
            }
            // So that people recognise the earlier identity; no more than a label.
            try await store.saveDevice(
                NodeDevice(key: identity.key, name: name, addresses: [], lastSeen: nil))
            for room in open { try await joins.dropAll(to: room.id) }
            return try data.replaceIdentity(identity.key)
        } catch {
            for room in retired { await room.store.resume() }
            throw error
        }
    }
}
