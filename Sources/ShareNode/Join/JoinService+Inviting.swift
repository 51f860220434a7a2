import ShareCore
import ShareCrypto
import ShareStore

/// The inviter's side of joining with a code.
extension JoinService {
    struct Inviting {
        var exchange: JoinInviter
        let peer: DeviceKey
        let address: String
        var deadline: Task<Void, Never>?
    }

    func drive(inviter id: SessionID, _ event: JoinInviter.Event) async {
        guard let actions = inviters[id]?.exchange.handle(event) else { return }
        for action in actions { await perform(action, inviter: id) }
    }

    private func perform(_ action: JoinInviter.Action, inviter id: SessionID) async {
        guard let inviting = inviters[id] else { return }
        switch action {
        case .setDeadline(let time):
            inviters[id]?.deadline?.cancel()
            inviters[id]?.deadline = after(time) { await $0.drive(inviter: id, .deadlinePassed) }
        case .open(let selector):
            await drive(inviter: id, await open(selector, for: inviting))
        case .send(let message): await sync.send(message, to: id)
        case .recordFailedAttempt(let selector):
            guard let invite = book.countFailure(selector, now: wall()) else {
                return await drive(inviter: id, .inviteGone)
            }
            await drive(
                inviter: id,
                await isKept(invite)
                    ? .attemptRecorded(left: invite.attemptsLeft) : .storageFailed)
        case .reportEnded(let selector): await reportEnded(selector)
        case .recordUse(let selector):
            guard let invite = book.use(selector, by: inviting.peer, now: wall()) else {
                return await drive(inviter: id, .inviteGone)
            }
            await drive(inviter: id, await isKept(invite) ? .useRecorded : .storageFailed)
        case .commitGrant(let request): await drive(inviter: id, await commit(request))
        case .recordGrant(let name, let selector):
            if let invite = book.note(name, to: inviting.peer, from: selector) {
                _ = await isKept(invite)
            }
            watch.tell(
                "invite_used", in: await roomName(of: selector), peer: inviting.peer,
                named: inviting.peer.short,
                "\(inviting.peer.short) has joined with the invite \(selector.text)")
        case .sendControlLogs: break
        case .close(let selector): book.close(selector)
        case .finish(let outcome):
            inviting.deadline?.cancel()
            inviters[id] = nil
            if outcome.isAttempt { attempts.note(inviting.address, now: .now) }
            await sync.setJoining(false, on: id)
            log.info("join exchange ended", ["peer": inviting.peer.short, "how": outcome.word])
        }
    }

    private func open(_ selector: JoinSelector, for inviting: Inviting) async -> JoinInviter.Event {
        let wait = attempts.wait(for: inviting.address, now: .now)
        guard wait == 0 else { return .notOpened(.tooMany(seconds: wait)) }
        switch book.open(selector, for: inviting.peer, now: wall()) {
        case .none: return .notOpened(.noInvite)
        case .busy: return .notOpened(.busy)
        case .invite(let invite):
            guard let room = await rooms.open(invite.room),
                let founding = await founding(of: room),
                let offer = JoinOffer(
                    invite, for: inviting.peer, founding: founding.bytes, name: room.name)
            else {
                book.close(selector)
                return .notOpened(.unavailable)
            }
            // A join that was cut goes on with its code; who has left since needs a new one.
            if case .granted = invite.usedBy[inviting.peer],
                await room.store.authority().currentRole(of: inviting.peer) == nil
            {
                book.close(selector)
                return .notOpened(.noInvite)
            }
            guard await rooms.role(in: room.id)?.mayAdmit(as: invite.role) == true else {
                book.close(selector)
                return .notOpened(.notAllowed)
            }
            do {
                guard try await mayAdmit(inviting.peer, as: invite.role, to: room) else {
                    book.close(selector)
                    return .notOpened(.removed)
                }
            } catch {
                log.error("the own log cannot be read", ["error": "\(error)"])
                book.close(selector)
                return .notOpened(.unavailable)
            }
            return .opened(offer)
        }
    }

    /// The batch that founded a room; nil where it cannot be read, which the log says.
    func founding(of room: OpenRoom) async -> Batch? {
        do {
            return try await room.foundingBatch()
        } catch {
            log.error(
                "the batch that founded a room cannot be read",
                ["room": room.id.short, "error": "\(error)"])
            return nil
        }
    }

    private func commit(_ request: JoinGrantRequest) async -> JoinInviter.Event {
        guard let room = await rooms.open(request.room) else { return .storageFailed }
        do {
            return .grantCommitted(try await grant(request, in: room))
        } catch {
            log.error("writing a grant failed", ["error": "\(error)"])
            return .storageFailed
        }
    }

    private func reportEnded(_ selector: JoinSelector) async {
        log.warning(
            "an invite has ended after wrong codes: somebody on this network guesses",
            ["invite": selector.text])
        watch.tell(
            "invite_ended", in: await roomName(of: selector),
            "wrong codes have ended the invite \(selector.text)")
    }

    private func roomName(of selector: JoinSelector) async -> String? {
        guard let invite = book.invite(selector) else { return nil }
        return await rooms.open(invite.room)?.name
    }

    private func isKept(_ invite: Invite) async -> Bool {
        do {
            try await store.saveInvite(invite)
            return true
        } catch {
            log.error("storing an invite failed", ["error": "\(error)"])
            return false
        }
    }
}
