import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Who is a member of which room, for people and for those who dial.
extension Node {
    /// How a device came to be no member of a room any more; nil where it is one, or never was.
    func removal(of key: DeviceKey, from room: OpenRoom) async -> RemovalAnswer? {
        guard let removal = await room.store.authority().formerMember(key) else { return nil }
        return await answer(removal, in: room)
    }

    func answer(_ removal: FormerMember, in room: OpenRoom) async -> RemovalAnswer {
        let moment = await room.store.moment(of: removal.removal)
        return RemovalAnswer(
            by: await named(removal.by, in: room), at: WallClock.text(moment?.milliseconds ?? 0),
            reason: removal.reason)
    }

    /// A device, or the recovery key of a room, which no device has.
    func named(_ key: DeviceKey, in room: OpenRoom) async -> NamedDevice {
        await room.store.authority().recoveryKey == key
            ? NamedDevice(id: key.text, name: "the recovery code") : await named(key)
    }

    /// This device's role in a room, or what it is instead.
    func roleWord(in room: OpenRoom, _ removal: RemovalAnswer?) async -> String {
        if room.isLeaving { return "leaving" }
        if let removal { return removal.by.id == identity.key.text ? "left" : "removed" }
        if let role = await room.store.authority().currentRole(of: identity.key) {
            return role.name
        }
        return room.isJoining ? "joining" : "none"
    }

    /// Lets those go on who may still say something in a room.
    ///
    /// - Throws: `Problem` of `removed`, which says by whom, when and why; `Problem` of
    ///   `not_a_member` where the identity that was a member is no longer this device's.
    func requireMember(of room: OpenRoom) async throws {
        guard let removal = await removal(of: identity.key, from: room) else {
            guard await isUnadmitted(to: room) else { return }
            throw Problem(
                .notAMember, await unadmitted(to: room),
                hint: "Ask there for an invite, then: `shared join \(room.name) --code CODE`.")
        }
        throw Problem(
            .removed, Node.sentence(removal, self: identity.key.text, room: room.name),
            hint: "What is here stays, and can be shown and exported. To come back ask for a code,"
                + " then: `shared join \(room.name) --code CODE`. Where a thief did it, whoever has"
                + " the room's recovery code undoes it: `shared remove"
                + " \(removal.by.id.dropFirst(4).prefix(8)) --recovery --since TIME`.")
    }

    /// What this device is, and what it was before under other keys that nobody can use any more.
    var ownKeys: Set<DeviceKey> { Set(formerKeys).union([identity.key]) }

    /// The keys of this device before its present one.
    var formerKeys: [DeviceKey] { data.formerIdentities(besides: identity.key) }

    /// Whether this device never had a role in a room that it holds: it has got another identity
    /// since.
    func isUnadmitted(to room: OpenRoom) async -> Bool {
        guard !room.isJoining, await !rooms.refilling.contains(room.id) else { return false }
        return await !room.store.authority().knows(identity.key)
    }

    /// One clause that tells why nobody in a room counts this device as a member.
    func unadmitted(to room: OpenRoom) async -> String {
        await room.store.isGranted(to: identity.key)
            ? "whoever let this device into \(room.name) was not allowed to any more"
            : "this device is not admitted to \(room.name) under its new identity"
    }

    /// One clause that tells how this device came to be no member.
    private static func sentence(
        _ removal: RemovalAnswer, self own: String, room: String
    ) -> String {
        if removal.by.id == own {
            return "this device left \(room) at \(WallClock.words(removal.at))"
        }
        let by = "\(removal.by.name) (\(removal.by.id.dropFirst(4).prefix(8)))"
        let reason = removal.reason.isEmpty ? "" : ": \(removal.reason)"
        return "\(by) removed this device from \(room) at \(WallClock.words(removal.at))\(reason)"
    }

    /// Tells those who find and dial peers who the members of a room are, and people what has
    /// changed.
    func noteMembers(of room: OpenRoom) async {
        guard let view = try? await room.store.view() else { return }
        let now = view.standings
        let before = memberships.replace(now, of: room.id)
        var members: [DeviceKey: Role] = [:]
        for case (let key, .member(let role)) in now { members[key] = role }
        if view.isGone(identity.key) {
            // Whoever is out of a room seeks nobody for it; others would not answer.
            await reach.forget(room.id)
        } else {
            await reach.setMembers(
                members, former: Set(now.keys.filter(view.isGone)), of: room.id)
        }
        guard let before, before != now else { return }
        await tellChanges(of: room, from: before, to: now)
        if before[identity.key] != now[identity.key] { await advertise() }
    }

    private func tellChanges(
        of room: OpenRoom, from before: MembershipBoard.Standings,
        to now: MembershipBoard.Standings
    ) async {
        for key in Set(before.keys).union(now.keys).sorted() where before[key] != now[key] {
            await tellChange(of: room, key, from: before[key], to: now[key])
        }
    }

    private func tellChange(
        of room: OpenRoom, _ key: DeviceKey, from before: RoomView.Standing?,
        to now: RoomView.Standing?
    ) async {
        let isSelf = key == identity.key
        let name = await named(key).name
        let who = isSelf ? "this device" : name
        switch now {
        case .left:
            tell(
                "member_left", in: room.name, peer: key, named: name, "\(who) left \(room.name)")
        case .removed:
            guard let removal = await removal(of: key, from: room) else { return }
            let reason = removal.reason.isEmpty ? "" : ": \(removal.reason)"
            tell(
                isSelf ? "removed" : "member_removed", in: room.name, peer: key, named: name,
                "\(removal.by.name) removed \(who) from \(room.name)\(reason)")
            if isSelf {
                log.warning(
                    "this device was removed from a room",
                    ["room": room.id.short, "by": String(removal.by.id.dropFirst(4).prefix(8))])
            }
        case .member(let role):
            if case .member(let old) = before {
                tell(
                    "role_changed", in: room.name, peer: key, named: name,
                    "\(who) is \(role.name) in \(room.name) now, and was \(old.name)")
            } else {
                tell(
                    "member_joined", in: room.name, peer: key, named: name,
                    "\(who) is in \(room.name) now, as \(role.name)")
            }
        case nil:
            tell(
                "member_changed", in: room.name, peer: key, named: name,
                "\(who) is no member of \(room.name) any more")
        }
    }
}
