package import ShareCrypto

/// All sessions of a device as one value: events in, actions out (docs/protocol.md, "Sessions").
///
/// It reads no clock, no file and no socket. A shell performs the actions in their order and
/// reports back what came of them; a simulator does the same with a network of its own.
package struct SyncEngine: Sendable {
    package enum Event: Sendable {
        /// A connection whose TLS handshake is done.
        case opened(
            SessionID, peer: DeviceKey, isInitiator: Bool, exporter: Bytes32, address: String,
            network: String)
        case received(SessionID, WireMessage)
        /// The connection is gone, for whatever reason.
        case closed(SessionID)
        /// A room of this device, new or changed.
        case room(RoomView)
        case roomGone(RoomID)
        /// Answers `Action.load`, with the number of the request.
        case loaded(SessionID, serving: UInt64, LoadedBatches)
        /// Answers `Action.find`: the heads among those asked about that are not held, and, if
        /// any is missing, places of the own log to ask from.
        case found(SessionID, RoomID, LogName, missing: [LogHead], positions: [LogHead])
        /// Answers `Action.loadGrantProof`.
        case grantProof(SessionID, RoomID, [Batch])
        /// Answers `Action.loadRemoval`.
        case removal(SessionID, RoomID, [Batch])
        /// The fate of batches: those of one session, or this device's own (nil).
        case merged(RoomID, from: SessionID?, [MergeOutcome])
        /// Batches sealed here, or merged and small enough to be passed on unasked; they come
        /// after the `merged` that they belong to.
        case fresh(RoomID, [Batch])
        /// How many operations this device has made in a room and not sealed.
        case pending(RoomID, UInt64)
        /// How members of a room stood when they were met before this process began.
        case remembered(RoomID, [DeviceKey: LastKnownStatus])
        /// How far logs go in a file that a member has written, and that has been read.
        case read(RoomID, by: DeviceKey, [LogName: LogState])
        /// Where members were met.
        case addresses(RoomID, [DeviceKey: [String]])
        /// The names that members of a room give themselves, as far as they have been heard.
        case names(RoomID, [DeviceKey: String])
        /// A join on this session has begun or ended.
        case joining(SessionID, Bool)
        /// Signs of life are wanted of these sessions.
        case ask([SessionID])
        /// Time has passed.
        case tick
    }

    package enum Action: Sendable {
        case send(SessionID, WireMessage)
        case close(SessionID, SessionEnd)
        /// The peer knows a common room: larger frames may come.
        case trust(SessionID)
        /// Find batches of a log that are neither among nor before `after`, in order from
        /// behind `cursor`, until `bytes` is exceeded, for the request with this number.
        case load(
            SessionID, serving: UInt64, RoomID, LogName, after: [LogHead], cursor: LogHead?,
            bytes: Int)
        /// Look up whether heads are held.
        case find(SessionID, RoomID, LogName, [LogHead])
        /// Find the control batches that lead from the founding to this device's own grant.
        case loadGrantProof(SessionID, RoomID)
        /// Find the control batches that show a device that it was removed.
        case loadRemoval(SessionID, RoomID, of: DeviceKey)
        /// Merge a batch and acknowledge nothing before it is durable.
        case merge(SessionID, RoomID, Batch)
        /// A member holds more of this device's own logs than this device, which must not seal
        /// before it has taken that in; or it may seal again, as it has, or nothing came.
        case holdSealing(RoomID, Bool)
        /// A peer has a batch, by its own word.
        case acknowledged(RoomID, DeviceKey, Acknowledgement)
        case learned([DeviceKey: [String]])
        /// A member has told the release that it runs, empty where it does not say, nil where it
        /// has told before, and what it has heard members, present and former, call themselves.
        case told(DeviceKey, release: String?, [DeviceKey: String])
        case join(SessionID, JoinMessage)
        /// A member's copy of a room has become identical with this device's, or is no more.
        case progress(SessionID, RoomID, isIdentical: Bool)
        /// The device's hello has come: name and clock are known.
        case met(SessionID)
        /// A common room is open.
        case linked(SessionID, RoomID)
        case notice(Notice)
    }

    /// An event that people have to hear of.
    package enum Notice: Hashable, Sendable {
        /// Equal logs, unequal state: a fault of one of the two programs.
        case digestsDiffer(RoomID, DeviceKey)
        /// Two processes answer for one identity; told at most once an hour.
        case identityTwice(DeviceKey)
        /// A device speaks another version of this protocol.
        case otherVersion(DeviceKey, UInt64)
    }

    /// The batches that `Action.load` found.
    package struct LoadedBatches: Sendable {
        package let room: RoomID
        package let log: LogName
        package let batches: [Batch]
        /// Where to go on; nil when everything has been found.
        package let next: LogHead?
        /// None of the places in `after` is known here.
        package let isLost: Bool

        package init(
            room: RoomID, log: LogName, batches: [Batch], next: LogHead?, isLost: Bool
        ) {
            self.room = room
            self.log = log
            self.batches = batches
            self.next = next
            self.isLost = isLost
        }
    }

    package let key: DeviceKey
    package let name: String
    /// The release of the program, for people; empty where it is not told.
    let release: String
    let instance: UInt64
    package internal(set) var sessions: [SessionID: PeerSession] = [:]
    package internal(set) var rooms: [RoomID: RoomView] = [:]
    var addresses: [RoomID: [DeviceKey: [String]]] = [:]
    var names: [RoomID: [DeviceKey: String]] = [:]
    /// Which session was asked for a log, so that two peers do not send the same.
    var fetching: [Fetch: SessionID] = [:]
    /// Batches that are with the store and not merged yet.
    var merging: [RoomID: Set<BatchID>] = [:]
    /// How far this device is in taking its own batches back, in each of its rooms.
    var recoveries: [RoomID: OwnLogRecovery] = [:]
    /// Older sessions that are asked whether they live, as another process has shown their key.
    var questioned: Set<SessionID> = []
    /// Identities that were seen on two machines: when last, and when that was last reported.
    var duplicates: [DeviceKey: (seen: Duration, reported: Duration)] = [:]
    /// Operations that this device has made and not sealed.
    var pending: [RoomID: UInt64] = [:]
    /// How members stood when they were connected last.
    package internal(set) var departed: [RoomID: [DeviceKey: LastKnownStatus]] = [:]
    /// When it was last reported that a peer came to another state.
    var alarms: [Alarm: Duration] = [:]
    /// The start of each removed device's process that has taken in its removal: it is told once.
    var informed: [RoomID: [DeviceKey: UInt64]] = [:]
    var random: any RandomNumberGenerator & Sendable
    var actions: [Action] = []
    /// When each session is to be looked at next, and the sessions that the event at hand has to do
    /// with: what passes on one moves no deadline of the others.
    private var deadlines: [SessionID: Duration] = [:]
    private var touched: Set<SessionID> = []
    /// The moment of the event at hand, since an arbitrary start.
    var now: Duration = .zero
    /// The wall clock in milliseconds, for display on the other side.
    var wall: UInt64 = 0

    struct Alarm: Hashable {
        let room: RoomID
        let peer: DeviceKey
    }

    struct Fetch: Hashable {
        let room: RoomID
        let log: LogName
    }

    package init(
        key: DeviceKey, name: String, release: String = "",
        random: any RandomNumberGenerator & Sendable
    ) {
        self.key = key
        self.name = name
        self.release = release
        self.random = random
        instance = self.random.next()
    }

    /// Takes in what happened and returns what is to be done about it, in order.
    ///
    /// - Parameters:
    ///   - now: time since any fixed start, never going back.
    ///   - wall: the device's wall clock in milliseconds since 1970.
    package mutating func handle(_ event: Event, now: Duration, wall: UInt64) -> [Action] {
        self.now = now
        self.wall = wall
        actions.removeAll()
        switch event {
        case .opened(
            let id, let peer, let isInitiator, let exporter, let address, let network):
            open(
                PeerSession(
                    id: id, peer: peer, isInitiator: isInitiator, address: address,
                    network: network, exporter: exporter, openedAt: now, lastReceived: now,
                    lastSent: now))
        case .received(let id, let message): receive(message, from: id)
        case .closed(let id): forget(id)
        case .room(let view): update(view)
        case .roomGone(let room): drop(room)
        case .loaded(let id, let serving, let loaded): serve(loaded, for: serving, to: id)
        case .found(let id, let room, let log, let missing, let positions):
            resolve(log, in: room, of: id, missing: missing, positions: positions)
        case .grantProof(let id, let room, let batches):
            sendGrantProof(batches, in: room, to: id)
        case .removal(let id, let room, let batches): tellRemoval(batches, in: room, to: id)
        case .merged(let room, let id, let outcomes): finish(outcomes, in: room, from: id)
        case .fresh(let room, let batches): spread(batches, in: room)
        case .pending(let room, let count):
            pending[room] = count
            for id in sessions.keys.sorted() { tellPending(of: room, to: id) }
        case .remembered(let room, let earlier):
            departed[room, default: [:]].merge(earlier) { now, _ in now }
        case .read(let room, let peer, let logs): take(logs, of: peer, in: room)
        case .addresses(let room, let map):
            // Each telling costs every peer something: none without news.
            guard addresses.updateValue(map, forKey: room) != map else { break }
            for id in sessions.keys.sorted() { tellAddresses(of: room, to: id) }
        case .names(let room, let map): spread(map, in: room)
        case .joining(let id, let isJoining): sessions[id]?.isJoining = isJoining
        case .ask(let ids): ids.forEach { ask($0) }
        case .tick: tick()
        }
        endPauses()
        // Words of a peer change how that peer stands, and nobody else.
        if case .received(let id, _) = event {
            noteProgress(of: [id])
            touched.insert(id)
            for id in touched { deadlines[id] = sessions[id].map { deadline(of: $0) } }
        } else {
            noteProgress(of: sessions.keys.sorted())
            deadlines = sessions.mapValues { deadline(of: $0) }
        }
        touched.removeAll(keepingCapacity: true)
        return actions
    }

    /// When `tick` is next needed, or a little before; nil where nothing waits.
    package var nextTick: Duration? {
        (Array(deadlines.values) + recoveries.values.compactMap(\.end)).min()
    }

    mutating func send(_ message: WireMessage, to id: SessionID) {
        touched.insert(id)
        sessions[id]?.lastSent = now
        actions.append(.send(id, message))
    }

    mutating func close(_ id: SessionID, _ reason: SessionEnd) {
        guard sessions[id] != nil else { return }
        actions.append(.close(id, reason))
        forget(id)
    }

    mutating func forget(_ id: SessionID) {
        noteLastStatus(of: id)
        guard let session = sessions.removeValue(forKey: id) else { return }
        touched.insert(id)
        questioned.remove(id)
        fetching = fetching.filter { $0.value != id }
        // What was being fetched from it is fetched from somebody else.
        for room in session.links.keys.sorted() {
            for other in sessions.keys.sorted() { plan(room, with: other) }
        }
    }
}
