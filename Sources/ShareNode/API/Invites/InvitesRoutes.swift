import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

extension ControlRoutes {
    func registerJoin(_ router: inout Router) {
        router.on(.post, "/v1/join") { request in
            await answer {
                let wanted: JoinRequest = try body(request)
                let answer = try await JoinCommand(node: node).run(wanted)
                let notices = answer.created ? unaskedNotice(answer.room.name).map { [$0] } : nil
                return HTTPResponse(headers: Self.headers(notices ?? []), body: answer.jsonText)
            }
        }
        router.on(.post, "/v1/invites") { request in await answer { try await invite(request) } }
        router.on(.get, "/v1/invites") { request in await answer { try await invites(request) } }
        router.on(.delete, "/v1/invites/{selector}") { request in
            await answer(json: { try await withdraw(request.parameters["selector"] ?? "") })
        }
    }

    /// What to say of a room that was created where nobody could be asked for one.
    private func unaskedNotice(_ name: String) -> String? {
        guard node.discovery == nil else { return nil }
        return "nobody was asked whether there is a room \(name) nearby: discovery is off, and no"
            + " address was given with --peer; if there is one, leave this one (shared leave), and"
            + " join that with a code"
    }

    private func invite(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: InviteRequest = try body(request)
        let room = try await memberRoom(request)
        let role = try wanted.role.map { try Role(typed: $0) } ?? .collector
        let seconds = wanted.expiresSeconds ?? Int(JoinLimits.inviteLifetime / 1_000)
        guard (1...ControlLimits.inviteSeconds).contains(seconds) else {
            throw Problem(
                .badRequest, "an invite lives between 1 second and 30 days",
                hint: "Choose a shorter time, such as --expires 8h.")
        }
        try role.require(admitter: await node.rooms.role(in: room.id))
        let invite = try await node.joins.invite(
            to: room.id, role: role, uses: wanted.uses ?? 1, lifetime: UInt64(seconds) * 1_000)
        let link = JoinLink(
            room: room.name, code: invite.code.text, at: node.ownAddresses())
        let answer = InviteAnswer(
            code: invite.code.text, expires: WallClock.text(invite.expires), role: role.name,
            room: room.named, uses: invite.uses, link: link.text)
        return HTTPResponse(status: 201, body: answer.jsonText)
    }

    /// All invites of this device, or those to one room.
    private func invites(_ request: HTTPRequest) async throws -> HTTPResponse {
        let only = try await namedRoom(request)
        var answers: [InviteStatus] = []
        for invite in await node.joins.invites() where only == nil || only?.id == invite.room {
            answers.append(await status(of: invite))
        }
        return HTTPResponse(body: answers.jsonText)
    }

    private func status(of invite: Invite) async -> InviteStatus {
        let now = Node.wall()
        let end = invite.end(at: now)
        let isAllowed = await node.rooms.role(in: invite.room)?.mayAdmit(as: invite.role) == true
        var usedBy: [NamedDevice] = []
        for key in invite.usedBy.keys.sorted() { usedBy.append(await node.named(key)) }
        let left = invite.expires > now ? (invite.expires - now) / 1_000 : 0
        return InviteStatus(
            selector: invite.code.selector.text,
            code: end == nil && isAllowed ? invite.code.text : nil,
            room: await node.rooms.open(invite.room)?.named
                ?? NamedRoom(name: invite.room.short, id: invite.room.text),
            role: invite.role.name, state: end?.word ?? (isAllowed ? "live" : "not_allowed"),
            expires: WallClock.text(invite.expires), expiresIn: Int(clamping: left),
            uses: invite.uses, usesLeft: invite.usesLeft,
            attempts: JoinLimits.attemptsPerInvite - invite.attemptsLeft,
            attemptsLeft: invite.attemptsLeft, usedBy: usedBy)
    }

    /// Ends the invite that a code or its first two characters name.
    private func withdraw(_ text: String) async throws -> WithdrawnAnswer {
        guard let selector = JoinSelector(typed: text) ?? (try? JoinCode(typed: text))?.selector
        else {
            throw Problem(
                .badCode, "\"\(text)\" names no invite",
                hint: "Name it by its code, or by the first two characters of it.")
        }
        let known = await node.joins.invites().first { $0.code.selector == selector }
        if let known, let code = try? JoinCode(typed: text), code != known.code {
            throw Problem(
                .notFoundInvite, "no invite has the code \(code.text)",
                hint: "There is one that begins alike: `shared withdraw \(selector.text)`.")
        }
        guard let invite = try await node.joins.withdraw(selector) else {
            throw Problem(
                .notFoundInvite, "no invite \"\(text)\"",
                hint: "`shared invites` lists those of this device.")
        }
        return WithdrawnAnswer(
            invite: await status(of: invite), hadEnded: known?.end(at: Node.wall()) != nil)
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
