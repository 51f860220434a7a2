import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Letting devices into open rooms.
extension JoinService {
    struct OpenInviting {
        var exchange: OpenInviter
        let peer: DeviceKey
        let address: String
        var deadline: Task<Void, Never>?
    }

    func drive(openInviter id: SessionID, _ event: OpenInviter.Event) async {
        guard let actions = openInviters[id]?.exchange.handle(event) else { return }
        for action in actions { await perform(action, openInviter: id) }
    }

    private func perform(_ action: OpenInviter.Action, openInviter id: SessionID) async {
        guard let inviting = openInviters[id] else { return }
        switch action {
        case .setDeadline(let time):
            openInviters[id]?.deadline?.cancel()
            openInviters[id]?.deadline = after(time) {
                await $0.drive(openInviter: id, .deadlinePassed)
            }
        case .look(let wanted):
            await drive(openInviter: id, await look(for: wanted, from: inviting.address))
        case .send(let message): await sync.send(message, to: id)
        case .admit(let request):
            await drive(openInviter: id, await admit(request))
        case .sendControlLogs: break
        case .finish(let outcome):
            inviting.deadline?.cancel()
            openInviters[id] = nil
            if outcome.isAttempt { questions.note(inviting.address, now: .now) }
            await sync.setJoining(false, on: id)
            log.info(
                "open join ended", ["peer": inviting.peer.short, "how": outcome.word])
        }
    }

    private func look(for wanted: String, from address: String) async -> OpenInviter.Event {
        let wait = questions.wait(for: address, now: .now)
        guard wait == 0 else { return .notFound(.tooMany(seconds: wait)) }
        for room in await rooms.all()
        where RoomName.areAlike(room.name, wanted) || room.id.short == wanted {
            guard await room.store.settings().isOpen,
                let role = await room.store.authority().currentRole(of: identity.key),
                let founding = await founding(of: room),
                founding.size <= JoinLimits.foundingBatch
            else { continue }
            return .found(
                OpenOffer(
                    room: room.id, founding: founding.bytes, name: room.name,
                    admits: role >= .editor))
        }
        return .notFound(.notOpen)
    }

    private func admit(_ request: JoinGrantRequest) async -> OpenInviter.Event {
        guard let room = await rooms.open(request.room), await room.store.settings().isOpen else {
            return .notAdmitted(.notOpen)
        }
        let authority = await room.store.authority()
        if let former = authority.formerMember(request.subject), !former.leftByItself {
            return .notAdmitted(.removed)
        }
        guard let own = authority.currentRole(of: identity.key), own >= .editor else {
            return .notAdmitted(.unavailable)
        }
        // Who is a member already gets no second grant, and so costs nobody a place; what an owner
        // has made of it stays.
        if authority.currentRole(of: request.subject) != nil,
            let last = authority.latest(about: request.subject).last
        {
            return .admitted(last)
        }
        guard !authority.isLowered(request.subject, below: request.role) else {
            return .notAdmitted(.removed)
        }
        let wait = admissions.wait(for: request.room, now: .now)
        guard wait == 0 else { return .notAdmitted(.tooMany(seconds: wait)) }
        admissions.note(request.room, now: .now)
        do {
            let name = try await grant(request, in: room)
            watch.tell(
                "member_admitted", in: room.name, peer: request.subject,
                named: request.subject.short,
                "\(request.subject.short) has joined \(room.name), which is open")
            return .admitted(name)
        } catch {
            log.error("writing a grant failed", ["error": "\(error)"])
            return .notAdmitted(.unavailable)
        }
    }
}
