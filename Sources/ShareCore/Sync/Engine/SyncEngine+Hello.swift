import ShareCrypto

extension SyncEngine {
    mutating func open(_ session: PeerSession) {
        sessions[session.id] = session
        send(
            .hello(
                WireMessage.Hello(
                    version: SyncLimits.protocolVersion, name: name, wall: wall,
                    instance: instance, proofs: proofs(in: session))),
            to: session.id)
    }

    /// Proofs of this device's rooms among as many random values, in random order.
    private mutating func proofs(in session: PeerSession) -> [Digest] {
        var proofs = rooms.keys.sorted().prefix(SyncLimits.proofs).map { room in
            proof(of: room, by: key, in: session)
        }
        while proofs.count < SyncLimits.proofs {
            if let padding = Digest((0..<4).flatMap { _ in random.nextBytes() }) {
                proofs.append(padding)
            }
        }
        for position in proofs.indices.dropLast() {
            let other = position + Int(random.next() % UInt64(proofs.count - position))
            proofs.swapAt(position, other)
        }
        return proofs
    }

    /// A proof that `sender` knows a room: it holds for this one connection and from its own side.
    private func proof(
        of room: RoomID, by sender: DeviceKey, in session: PeerSession
    ) -> Digest {
        let isClient = session.isInitiator == (sender == key)
        let client = session.isInitiator ? key : session.peer
        let server = session.isInitiator ? session.peer : key
        var bytes = Array("shared room proof 1".utf8)
        bytes += session.exporter.bytes
        bytes.append(isClient ? UInt8(ascii: "C") : UInt8(ascii: "S"))
        bytes += client.bytes
        bytes += server.bytes
        return Hash.digest(bytes, key: room.digest.value)
    }

    mutating func receive(_ hello: WireMessage.Hello, in id: SessionID) {
        guard var session = sessions[id] else { return }
        guard session.hello == nil else { return close(id, .unexpectedMessage) }
        session.hello = hello
        session.helloAt = now
        sessions[id] = session
        if session.peer == key, hello.instance == instance { return close(id, .ownSelf) }
        guard keepsAfterComparing(session, hello) else { return }
        if session.peer == key { noteDuplicate(key) }

        actions.append(.met(id))
        take(hello.proofs, from: id)
    }

    /// A device of another version: it is told to people, and nothing more can be said to it.
    mutating func refuse(version: UInt64, in id: SessionID) {
        guard let session = sessions[id] else { return }
        guard session.hello == nil else { return close(id, .unexpectedMessage) }
        actions.append(.notice(.otherVersion(session.peer, version)))
        close(id, .version(version))
    }

    /// Links every room of this device that the peer has shown to know.
    mutating func take(_ proofs: [Digest], from id: SessionID) {
        sessions[id]?.proofs = Set(proofs)
        for room in rooms.keys.sorted() { linkIfProven(room, with: id) }
    }

    private mutating func linkIfProven(_ room: RoomID, with id: SessionID) {
        guard let session = sessions[id],
            session.proofs.contains(peerProof(of: room, in: session))
        else { return }
        link(room, with: id)
    }

    private func peerProof(of room: RoomID, in session: PeerSession) -> Digest {
        if session.peer != key { return proof(of: room, by: session.peer, in: session) }
        // With one key on both ends the other side is told apart by its letter alone.
        let mirrored = PeerSession(
            id: session.id, peer: session.peer, isInitiator: !session.isInitiator,
            address: session.address, network: session.network, exporter: session.exporter,
            openedAt: session.openedAt,
            lastReceived: session.lastReceived, lastSent: session.lastSent)
        return proof(of: room, by: key, in: mirrored)
    }

    /// Keeps one of two sessions with the same process. False if it is the other one.
    private mutating func keepsAfterComparing(
        _ session: PeerSession, _ hello: WireMessage.Hello
    ) -> Bool {
        var others: [PeerSession] = []
        for other in sessions.values where other.peer == session.peer && other.id != session.id {
            guard let otherHello = other.hello, let otherAt = other.helloAt else { continue }
            guard otherHello.instance == hello.instance else {
                others.append(other)
                continue
            }
            // A join goes on where it began.
            if other.isJoining {
                close(session.id, .replaced)
                return false
            }
            let crossed =
                now - otherAt <= SyncLimits.crossedDials
                && other.isInitiator != session.isInitiator
            // Of crossed dials the one of the lower key stays.
            if crossed, other.isInitiator == (key < session.peer) {
                close(session.id, .replaced)
                return false
            }
            close(other.id, .replaced)
        }
        guard !others.isEmpty else { return true }
        question(others)
        // One key must not take the place of everybody else.
        if others.count > SyncLimits.duplicateSessions,
            let oldest = others.min(by: { ($0.openedAt, $0.id) < ($1.openedAt, $1.id) })
        {
            close(oldest.id, .replaced)
        }
        return true
    }

    /// Begins with a room that both ends know.
    private mutating func link(_ room: RoomID, with id: SessionID) {
        guard let view = rooms[room], let session = sessions[id], session.links[room] == nil
        else { return }
        if view.standings[session.peer] == nil, !session.isProven, !makePlace(for: session) {
            return close(id, .crowded)
        }
        sessions[id]?.links[room] = RoomLink()
        sessions[id]?.hasShared = true
        actions.append(.trust(id))
        advance(room, with: id)
        if view.standings[session.peer] == nil { showGrantProof(room, to: id) }
    }

    /// Makes a place among the peers that are known as members of nothing here: of the network that
    /// has most of them, if that is more than this one's has, the oldest has to go. So whoever has
    /// one address keeps nobody else out.
    ///
    /// - Returns: whether there is a place.
    private mutating func makePlace(for session: PeerSession) -> Bool {
        let unproven = sessions.values.filter {
            !$0.links.isEmpty && !$0.isProven && $0.partingSince == nil
        }
        guard unproven.count >= SyncLimits.unprovenSessions else { return true }
        let networks = Dictionary(grouping: unproven, by: \.network)
        let most = networks.values.max { $0.count < $1.count } ?? []
        guard most.count > networks[session.network]?.count ?? 0,
            let oldest = most.min(by: { ($0.openedAt, $0.id) < ($1.openedAt, $1.id) })
        else { return false }
        close(oldest.id, .crowded)
        return true
    }

    /// Opens the link once the peer is known as a member, and closes it when it is no more. Where
    /// this device was removed itself it asks for control logs alone: a new grant may be in them.
    mutating func advance(_ room: RoomID, with id: SessionID) {
        guard let view = rooms[room], let session = sessions[id], let link = session.links[room]
        else { return }
        guard view.role(of: session.peer) != nil else {
            if link.isOpen { shut(room, with: id) }
            if view.isGone(session.peer) {
                part(room, with: id)
            } else if link.isOpen {
                // Whose grant has fallen may hold what shows that it has not.
                showGrantProof(room, to: id)
            }
            return
        }
        let isOut = view.standings[key] == .removed
        // Who is put out has met the others all the same.
        if isOut, link.isOpen { noteLastStatus(of: id, in: room) }
        let own = isOut ? nil : summary(of: view, for: session.peer)
        sessions[id]?.links[room]?.own = own
        guard !link.isOpen || link.isControlOnly != isOut else { return }
        if link.isOpen, isOut { shut(room, with: id) }
        sessions[id]?.links[room]?.isOpen = true
        sessions[id]?.links[room]?.isControlOnly = isOut
        sessions[id]?.partingSince = isOut ? now : nil
        guard !isOut else { return }
        sessions[id]?.links[room]?.openedAt = now
        departed[room]?[session.peer] = nil
        actions.append(.linked(id, room))
        if link.hasHeard { noteFirstTelling(link.peerLogs, of: room, by: session.peer) }
        tell(room, to: id)
        if link.hasHeard { introduce(room, to: id) }
    }

    /// Shows the peer how this device came to be a member, unless that was done of late.
    mutating func showGrantProof(_ room: RoomID, to id: SessionID) {
        guard let session = sessions[id], let link = session.links[room] else { return }
        if let last = link.grantProofAt, now - last < SyncLimits.grantProofEvery { return }
        sessions[id]?.links[room]?.grantProofAt = now
        actions.append(.loadGrantProof(id, room))
    }

    /// Sends this device's own grant proof.
    mutating func sendGrantProof(_ batches: [Batch], in room: RoomID, to id: SessionID) {
        guard let link = sessions[id]?.links[room] else { return }
        show(batches, in: room, to: id)
        // A founding that comes unasked takes back what was told before it.
        if link.isOpen, link.hasTold { tell(room, to: id) }
    }

    /// Sends control batches that were not asked for, as fast as the peer takes them in.
    mutating func show(_ batches: [Batch], in room: RoomID, to id: SessionID) {
        sessions[id]?.links[room]?.unaskedBatches = batches[...]
        goOnShowing(room, to: id)
    }

    mutating func goOnShowing(_ room: RoomID, to id: SessionID) {
        while let session = sessions[id], session.inFlight < SyncLimits.window,
            let batch = sessions[id]?.links[room]?.unaskedBatches.popFirst()
        {
            deliver(batch, counting: batch.size, to: id)
        }
    }

    /// Tells a peer that has the room open where this device listens and where members are, of very
    /// many some at random: one telling after another comes to all of them.
    mutating func tellAddresses(of room: RoomID, to id: SessionID) {
        guard let map = addresses[room], let session = sessions[id],
            let link = session.links[room], link.isOpen, link.hasNamed
        else { return }
        guard map.keys.contains(where: { $0 != session.peer }) else { return }
        let isDue = sessions[id]?.links[room]?.addressTellings.take(now: now) == true
        sessions[id]?.links[room]?.owesAddresses = !isDue
        guard isDue else { return }
        let others = map.keys.filter { $0 != session.peer && $0 != key }.sorted()
        var told = others.shuffled(using: &random).prefix(SyncLimits.addressEntries - 1)
        if map[key] != nil { told.append(key) }
        let entries = told.map { ($0, map[$0] ?? []) }
        send(.addresses(room, Dictionary(uniqueKeysWithValues: entries)), to: id)
    }

    mutating func update(_ view: RoomView) {
        let before = rooms.updateValue(view, forKey: view.room)
        let isNew = before == nil
        if isNew { recoveries[view.room] = .waiting(end: now + SyncLimits.ownLogPatience) }
        // Whoever is removed a second time is told a second time, and where more has been decided
        // about it or about others what was told may not be enough any more.
        informed[view.room] =
            before?.hasSameDecisions(as: view) == true
            ? informed[view.room]?.filter { view.isGone($0.key) } : nil
        // What was dropped as damaged is to be asked for again.
        let hasLost =
            before?.logs.contains { (view.logs[$0.key]?.number ?? 0) < $0.value.number } == true
        for id in sessions.keys.sorted() {
            // With another standing of their author batches may be taken that were not before.
            if sessions[id]?.links[view.room]?.declined.isEmpty == false,
                before?.standings != view.standings
            {
                sessions[id]?.links[view.room]?.declined.removeAll()
            }
            if hasLost { sessions[id]?.links[view.room]?.held = [] }
            if isNew, let session = sessions[id], session.hello != nil {
                send(.proofs(proofs(in: session)), to: id)
                linkIfProven(view.room, with: id)
            }
            placeNames(of: view, from: id)
            let hadTold = sessions[id]?.links[view.room]?.hasTold == true
            advance(view.room, with: id)
            // With another role more logs, or fewer, are told of.
            if hadTold, let peer = sessions[id]?.peer,
                [peer, key].contains(where: {
                    before?.role(of: $0)?.readsAll != view.role(of: $0)?.readsAll
                }), sessions[id]?.links[view.room]?.isOpen == true
            {
                tell(view.room, to: id)
            }
            plan(view.room, with: id)
            tellState(of: view.room, to: id)
        }
    }

    mutating func drop(_ room: RoomID) {
        rooms[room] = nil
        addresses[room] = nil
        names[room] = nil
        merging[room] = nil
        departed[room] = nil
        pending[room] = nil
        informed[room] = nil
        if case .fetching? = recoveries.removeValue(forKey: room) {
            actions.append(.holdSealing(room, false))
        }
        for id in sessions.keys.sorted() {
            sessions[id]?.links[room] = nil
            endServings(of: room, to: id)
        }
        fetching = fetching.filter { $0.key.room != room }
    }
}

extension RandomNumberGenerator {
    fileprivate mutating func nextBytes() -> [UInt8] {
        withUnsafeBytes(of: next() as UInt64) { Array($0) }
    }
}
