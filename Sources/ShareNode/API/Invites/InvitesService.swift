import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Makes, lists and ends invites.
struct InvitesService: Sendable {
    let names: DeviceNames
    let rooms: RoomBook
    let joins: JoinService
    let advertising: Advertising
    let schemas: SchemaCache
    let wall: @Sendable () -> UInt64

    func make(_ wanted: InviteRequest, to room: OpenRoom) async throws -> InviteAnswer {
        let role = try wanted.role.map { try Role(typed: $0) } ?? .collector
        let seconds = wanted.expiresSeconds ?? Int(JoinLimits.inviteLifetime / 1_000)
        guard (1...ControlLimits.inviteSeconds).contains(seconds) else {
            throw Problem(
                .badRequest, "an invite lives between 1 second and 30 days",
                hint: "Choose a shorter time, such as --expires 8h.")
        }
        try role.require(
            admitter: await rooms.role(in: room.id), owners: await names.owners(in: room))
        if let name = wanted.name, !(1...JoinLimits.inviteName).contains(name.utf8.count) {
            throw Problem(
                .badName, "a name has between 1 and \(JoinLimits.inviteName) bytes",
                hint: "Choose a short one, such as \"Team A\".")
        }
        let scope = try await ScopeReading.scope(wanted.scope, for: role, in: room.store, schemas)
        let invite = try await joins.invite(
            to: room.id, role: role, scope: scope, name: wanted.name, uses: wanted.uses ?? 1,
            lifetime: UInt64(seconds) * 1_000)
        let told = await scopeAnswer(scope, in: room)
        let link = JoinLink(
            room: room.name, code: invite.code.text, at: advertising.ownAddresses())
        return InviteAnswer(
            code: invite.code.text, expires: WallClock.text(invite.expires), role: role.name,
            name: invite.name, scope: told, room: room.named,
            uses: invite.uses, link: link.text,
            network: NetworkLink.silence(of: NetworkLink.all()))
    }

    /// All invites of this device, or those to one room.
    func list(of only: OpenRoom?) async -> [InviteStatus] {
        var answers: [InviteStatus] = []
        for invite in await joins.invites() where only == nil || only?.id == invite.room {
            answers.append(await status(of: invite))
        }
        return answers
    }

    private func status(of invite: Invite) async -> InviteStatus {
        let now = wall()
        let end = invite.end(at: now)
        let isAllowed = await rooms.role(in: invite.room)?.mayAdmit(as: invite.role) == true
        let room = await rooms.open(invite.room)
        var usedBy: [NamedDevice] = []
        for key in invite.usedBy.keys.sorted() { usedBy.append(await names.named(key)) }
        let left = invite.expires > now ? (invite.expires - now) / 1_000 : 0
        return InviteStatus(
            selector: invite.code.selector.text,
            code: end == nil && isAllowed ? invite.code.text : nil,
            room: room?.named
                ?? NamedRoom(name: invite.room.short, id: invite.room.text),
            role: invite.role.name, name: invite.name,
            scope: await scopeAnswer(invite.scope, in: room),
            state: end?.word ?? (isAllowed ? "live" : "not_allowed"),
            expires: WallClock.text(invite.expires), expiresIn: Int(clamping: left),
            uses: invite.uses, usesLeft: invite.usesLeft,
            attempts: JoinLimits.attemptsPerInvite - invite.attemptsLeft,
            attemptsLeft: invite.attemptsLeft, usedBy: usedBy)
    }

    private func scopeAnswer(_ scope: Scope?, in room: OpenRoom?) async -> [ScopeForm]? {
        guard let scope else { return nil }
        return await ScopeReading.answer(scope, in: room?.store, schemas)
    }

    /// Ends the invite that a code or its first two characters name.
    func withdraw(_ text: String) async throws -> WithdrawnAnswer {
        guard let selector = JoinSelector(typed: text) ?? (try? JoinCode(typed: text))?.selector
        else {
            throw Problem(
                .badCode, "\"\(text)\" names no invite",
                hint: "Name it by its code, or by the first two characters of it.")
        }
        let known = await joins.invites().first { $0.code.selector == selector }
        if let known, let code = try? JoinCode(typed: text), code != known.code {
            throw Problem(
                .notFoundInvite, "no invite has the code \(code.text)",
                hint: "There is one that begins alike: `shared withdraw \(selector.text)`.")
        }
        guard let invite = try await joins.withdraw(selector) else {
            throw Problem(
                .notFoundInvite, "no invite \"\(text)\"",
                hint: "`shared invites` lists those of this device.")
        }
        return WithdrawnAnswer(
            invite: await status(of: invite), hadEnded: known?.end(at: wall()) != nil)
    }
}

extension InviteEnd {
    var word: String {
        switch self {
        case .usedUp: "used_up"
        case .wrongCodes: "wrong_codes"
        case .withdrawn: "withdrawn"
        case .expired: "expired"
        }
    }
}
