import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Says who is in a room, and lets owners decide who is and as what.
struct MembersService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let membership: Membership
    let faults: DeviceFaults
    let sealing: Sealing
    let sync: SyncService
    let membersProgress: MembersProgress
    let schemas: SchemaCache
    let wall: @Sendable () -> UInt64

    /// A decision is waited for at the others so long, to say who has heard of it.
    static let hearingTime = Duration.seconds(2)

    // MARK: Looking

    /// The members, and where it is asked for those who are none any more, and the forms that each
    /// has.
    func list(_ room: OpenRoom, all: Bool, withForms: Bool = false) async throws -> [MemberAnswer] {
        var answers: [MemberAnswer] = []
        let authority = await room.store.authority()
        let found = await faults.all(in: [room])
        let clocks = await sync.clockComparison()
        let earlier = Set(own.formerKeys)
        let others = await membersProgress.list(in: room)
        let forms = withForms ? try await MemberForms(of: room, sync) : nil
        for member in authority.members {
            let named = await names.named(member.device)
            let progress = others.first { $0.id == named.id }
            let hasAll = member.device == own.key || progress?.behind == 0
            answers.append(
                MemberAnswer(
                    id: named.id, name: named.name, role: member.role.name,
                    isSelf: member.device == own.key,
                    isFormerSelf: earlier.contains(member.device),
                    faults: found.filter { $0.device.id == named.id }.map(\.detail)
                        + clockFaults(of: member.device, named, clocks),
                    rank: authority.rank(of: member.device),
                    scopes: await ScopeReading.answers(member.scopes, in: room.store, schemas),
                    progress: progress, release: await names.release(of: member.device),
                    forms: forms?.list(of: member.device, hasAll: hasAll)))
        }
        for former in all ? authority.formerMembers : [] {
            let named = await names.named(former.device)
            answers.append(
                MemberAnswer(
                    id: named.id, name: named.name,
                    role: former.leftByItself ? "left" : "removed",
                    isSelf: former.device == own.key,
                    isFormerSelf: earlier.contains(former.device),
                    removed: await membership.answer(former, in: room),
                    rank: authority.rank(of: former.device)))
        }
        return answers
    }

    private func clockFaults(
        of device: DeviceKey, _ named: NamedDevice, _ clocks: ClockComparison
    ) -> [String] {
        let fault = device == own.key ? clocks.ownFault : clocks.fault(of: device)
        let whose = device == own.key ? "this device's" : "\(named.name)'s"
        return fault.map { ["\(whose) clock is \($0)"] } ?? []
    }

    /// The operations that a member has made and not sent, as it said last; nil where it has not
    /// said.
    func unsent(of device: DeviceKey, in room: OpenRoom) async -> Int? {
        await sync.meetings(in: room.id)[device]?.pending.map { Int(clamping: $0) }
    }

    /// The device that a command means.
    ///
    /// - Parameter byName: whether a name that only one has is enough.
    func find(
        _ text: String, in room: OpenRoom, byName: Bool = false
    ) async throws -> DeviceKey {
        let authority = await room.store.authority()
        var devices: [DeviceKey: String] = [:]
        for key in authority.members.map(\.device) + authority.formerMembers.map(\.device) {
            devices[key] = await names.named(key).name
        }
        return try MemberLookup(devices: devices, takesNames: byName).find(text)
    }

    // MARK: What they share

    /// Seals what an owner decides, if this device is an owner when it comes to that; nothing where
    /// there is nothing to decide.
    ///
    /// - Parameter what: that which only owners do.
    /// - Throws: `Problem` of `removed` or `not_allowed`; whatever `make` throws.
    func decide(
        to what: String, in room: OpenRoom,
        _ make: @escaping @Sendable (isolated RoomStore) throws -> [ControlOperation]
    ) async throws {
        try await requireOwner(what, in: room)
        do {
            try await sealing.control(in: room, as: .owner, make)
        } catch let error as RoleLost {
            try await requireOwner(what, in: room)
            throw error
        }
    }

    /// Seals what an owner decides about a device, if the decider is an owner when it comes to that;
    /// refusals of the room's rules come in words.
    ///
    /// - Parameters:
    ///   - what: that which only owners do.
    ///   - isMember: whether the device must be a member when it comes to that.
    /// - Throws: `Problem` of `removed` or `not_allowed`; whatever `make` throws.
    func decide(
        to what: String, about subject: DeviceKey, in room: OpenRoom, by decider: Decider,
        isMember: Bool = true,
        _ make: @escaping @Sendable (isolated RoomStore) throws -> [ControlOperation]
    ) async throws -> Batch {
        if decider.recovery == nil { try await requireOwner(what, in: room) }
        let named = await names.named(subject)
        do {
            let batch = try await sealing.control(
                in: room, as: .owner, recovery: decider.recovery
            ) { store in
                if isMember, store.authority().currentRole(of: subject) == nil {
                    throw MemberGone()
                }
                return try make(store)
            }
            guard let batch else { throw Problem(.nothingToChange, "there is nothing to do") }
            return batch
        } catch let error as RoleLost {
            try await requireOwner(what, in: room)
            throw error
        } catch is MemberGone {
            throw await noMember(named, subject, in: room)
        } catch StoreError.refused(let refusal) {
            throw await refused(.refused(refusal), named, subject, in: room)
        }
    }

    /// Whom a decision is about is no member any more.
    private struct MemberGone: Error {}

    /// - Throws: `Problem` of `removed` or `not_allowed`.
    func requireOwner(_ what: String, in room: OpenRoom) async throws {
        try await membership.requireMember(of: room)
        let authority = await room.store.authority()
        let role = authority.currentRole(of: own.key)
        guard role != .owner else { return }
        let owners = await names.owners(in: room)
        throw Problem(
            .notAllowed,
            "only owners \(what), and this device is "
                + (role?.phrase ?? "no member") + " in \(room.name)",
            hint: owners.isEmpty
                ? "\(room.name) has no owner any more. Its recovery code makes one: `shared role"
                    + " \(own.key.short) owner --recovery`."
                : "Ask an owner: " + owners.joined(separator: ", ") + ".")
    }

    /// Why a device is no member.
    ///
    /// - Parameter code: of the problem, where it was one once.
    func noMember(
        _ named: NamedDevice, _ subject: DeviceKey, in room: OpenRoom,
        code: ErrorCode = .alreadyRemoved
    ) async -> Problem {
        guard let removal = await membership.removal(of: subject, from: room) else {
            return Problem(.notFoundMember, "\(named.name) is no member of \(room.name)")
        }
        let how =
            removal.by.id == named.id
            ? "left \(room.name)" : "was removed from \(room.name) by \(removal.by.name)"
        return Problem(
            code, "\(named.name) \(how) at \(WallClock.words(removal.at))",
            hint: removal.by.id == named.id
                ? "A new code brings it back: `shared invite`. So that its key can do nothing more:"
                    + " `shared remove \(subject.short) --since now`."
                : "A new code brings it back: `shared invite`.")
    }

    /// The members that have heard of a decision by now, and those that have not.
    func hearing(
        of batch: Batch, in room: OpenRoom
    ) async -> (heard: [NamedDevice], notHeard: [NamedDevice]) {
        let hearers = await sync.hearers(
            of: batch.id, in: room.id, within: Self.hearingTime)
        var heard: [NamedDevice] = []
        var notHeard: [NamedDevice] = []
        let selves = own.keys
        for member in await room.store.authority().members where !selves.contains(member.device) {
            let named = await names.named(member.device)
            if hearers.contains(member.device) {
                heard.append(named)
            } else {
                notHeard.append(named)
            }
        }
        return (heard, notHeard)
    }
}
