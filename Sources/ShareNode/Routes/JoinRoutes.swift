import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

extension ControlRoutes {
    func registerJoin(_ router: inout Router) {
        router.on(.post, "/v1/join") { request in
            await answer {
                let wanted: JoinRequest = try body(request)
                let answer = try await JoinCommand(node: node).run(wanted)
                return HTTPResponse(body: answer.jsonText)
            }
        }
        router.on(.post, "/v1/invites") { request in await answer { try await invite(request) } }
        router.on(.get, "/v1/invites") { request in await answer { try await invites(request) } }
        router.on(.delete, "/v1/invites/{selector}") { request in
            await answer {
                let text = request.parameters["selector"] ?? ""
                guard let selector = JoinSelector(text.uppercased()),
                    try await node.joins.withdraw(selector)
                else {
                    throw Problem(
                        .notFoundInvite, "no invite \"\(text)\"",
                        hint: "An invite is named by the first two characters of its code.")
                }
                return HTTPResponse(status: 204)
            }
        }
    }

    private func invite(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: InviteRequest = try body(request)
        let room = try await memberRoom(request)
        guard let role = Role(name: wanted.role ?? Role.collector.name) else {
            throw Problem(
                .badRequest, "no role \"\(wanted.role ?? "")\"",
                hint: "Roles are " + Role.allCases.map(\.name).joined(separator: ", ") + ".")
        }
        let seconds = wanted.expiresSeconds ?? Int(JoinLimits.inviteLifetime / 1_000)
        guard (1...Self.longestInvite).contains(seconds) else {
            throw Problem(.badRequest, "an invite lives between 1 second and 30 days")
        }
        let own = await room.store.authority().currentRole(of: node.identity.key)
        guard own == .owner || (own == .editor && Self.editorsInvite.contains(role)) else {
            throw Problem(
                .notAllowed,
                "a device that is \(own?.name ?? "no member") cannot admit a \(role.name)",
                hint: "Owners admit anyone; editors admit collectors, contributors and viewers.")
        }
        let invite = try await node.joins.invite(
            to: room.id, role: role, lifetime: UInt64(seconds) * 1_000)
        let answer = InviteAnswer(
            code: invite.code.text, expires: WallClock.text(invite.expires), role: role.name,
            room: room.named)
        return HTTPResponse(status: 201, body: answer.jsonText)
    }

    private static let longestInvite = 30 * 24 * 3_600
    private static let editorsInvite: Set<Role> = [.collector, .contributor, .viewer]

    private func invites(_ request: HTTPRequest) async throws -> HTTPResponse {
        let room = try await room(request)
        let answers = await node.joins.invites(to: room.id).map { invite in
            LiveInviteAnswer(
                selector: invite.code.selector.text, expires: WallClock.text(invite.expires),
                role: invite.role.name, attemptsLeft: invite.attemptsLeft,
                usedBy: invite.usedBy.keys.sorted().first?.text)
        }
        return HTTPResponse(body: answers.jsonText)
    }
}
