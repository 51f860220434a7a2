import ShareCrypto

/// Telling members what others call themselves, and which release this device runs.
extension SyncEngine {
    /// Takes in what members call themselves, and tells peers what is new of it.
    mutating func spread(_ map: [DeviceKey: String], in room: RoomID) {
        let before = names.updateValue(map, forKey: room) ?? [:]
        let news = map.filter { before[$0.key] != $0.value }
        guard !news.isEmpty else { return }
        for id in sessions.keys.sorted() where sessions[id]?.links[room]?.hasNamed == true {
            let others = news.filter { $0.key != sessions[id]?.peer && $0.key != key }
            if !others.isEmpty { tell(others, of: room, to: id) }
        }
    }

    /// Tells a peer all that is known, once: as soon as it has shown that the room is open there.
    mutating func introduce(_ room: RoomID, to id: SessionID) {
        guard let link = sessions[id]?.links[room], link.isOpen, !link.isControlOnly,
            link.hasHeard, !link.hasNamed
        else { return }
        sessions[id]?.links[room]?.hasNamed = true
        tell(names[room] ?? [:], of: room, to: id)
        tellAddresses(of: room, to: id)
    }

    private mutating func tell(
        _ names: [DeviceKey: String], of room: RoomID, to id: SessionID
    ) {
        guard let peer = sessions[id]?.peer else { return }
        let told = names.filter { $0.key != peer && $0.key != key }
            .sorted { $0.key < $1.key }.prefix(SyncLimits.namesEntries)
        guard !told.isEmpty || !release.isEmpty else { return }
        send(
            .names(
                room, release: release, Dictionary(uniqueKeysWithValues: told.map { ($0, $1) })),
            to: id)
    }

    /// Takes in what a member tells of itself and of others. Names of devices of which this one has
    /// no grant wait for one: it may be on its way.
    mutating func hear(
        _ names: [DeviceKey: String], of room: RoomID, release: String, from id: SessionID
    ) {
        guard let view = rooms[room], let peer = sessions[id]?.peer,
            sessions[id]?.links[room]?.names.take(now: now) == true
        else { return }
        let others = names.filter { $0.key != key && $0.key != peer }
        for (key, name) in others where view.standings[key] == nil {
            guard let count = sessions[id]?.links[room]?.unplaced.count,
                count < SyncLimits.namesEntries
            else { break }
            sessions[id]?.links[room]?.unplaced[key] = name
        }
        let known = others.filter { view.standings[$0.key] != nil }
        actions.append(.told(peer, release: release, known))
    }

    /// Takes in the names of devices whose grants have come.
    mutating func placeNames(of view: RoomView, from id: SessionID) {
        guard let peer = sessions[id]?.peer,
            let waiting = sessions[id]?.links[view.room]?.unplaced, !waiting.isEmpty
        else { return }
        let known = waiting.filter { view.standings[$0.key] != nil }
        guard !known.isEmpty else { return }
        sessions[id]?.links[view.room]?.unplaced = waiting.filter {
            view.standings[$0.key] == nil
        }
        actions.append(.told(peer, release: nil, known))
    }
}
