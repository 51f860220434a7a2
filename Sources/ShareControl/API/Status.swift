/// The answer of `GET /v1/status`.
package struct StatusAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var version: String
    /// That no network of this machine has a signal, for people; nil where one has.
    package var network: String?
    package var rooms: [RoomStatus]
    package var peers: PeerCounts
    package var discovery: DiscoveryStatus
    /// Members whose identity is in two hands, or was.
    package var faults: [DeviceFault]

    package init(
        device: NamedDevice, version: String, network: String? = nil, rooms: [RoomStatus],
        peers: PeerCounts, discovery: DiscoveryStatus, faults: [DeviceFault] = []
    ) {
        self.network = network
        self.device = device
        self.version = version
        self.rooms = rooms
        self.peers = peers
        self.discovery = discovery
        self.faults = faults
    }
}

/// One room as `status` shows it.
package struct RoomStatus: Codable, Hashable, Sendable {
    package var name: String
    package var id: String
    /// This device's role there.
    package var role: String
    package var members: Int
    /// Records that are not deleted.
    package var records: Int
    /// Operations made here and not yet sealed.
    package var pending: Int
    /// New entries among the pending operations.
    package var pendingEntries: Int
    /// Pending operations that this device's role does not allow: they stay so until it does.
    package var withheld: Int
    /// Operations here whose author, form or record is not known yet.
    package var waiting: Int
    /// Waiting operations whose form is here and does not count.
    package var blocked: Int
    /// Operations here that the room's rules do not allow.
    package var refused: Int
    /// Records of which a field has several values at once.
    package var conflicts: Int
    /// Hexadecimal; equal on devices whose merged state is equal.
    package var digest: String
    /// Whether commands without `--room` mean this one.
    package var current: Bool
    package var autopush: Bool
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool
    /// The long work going on in it, in words for people.
    package var activity: String?
    /// The batches or members that sealing waits for, where this device was restored from an older
    /// copy.
    package var ownLogRecovery: OwnLogRecovery?
    /// How this device came to be no member any more; nil while it is one.
    package var removed: RemovalAnswer?
    /// Operations made here, sealed or not, that no other device is known to have.
    package var onlyHere: Int
    /// New entries among them; the others are changes of entries.
    package var onlyHereEntries: Int
    /// Other members who are sent what is entered here: all but contributors.
    package var readers: Int
    /// Whether entries of others are here that are no longer brought up to date, as this device has
    /// become a contributor.
    package var isStale: Bool
    /// The other members, and how each stands.
    package var others: [MemberProgress]
    /// Forms of which entries are known that break the form in force.
    package var invalid: [FormCount]
    /// Forms with keys that several entries have, as entered apart, and how many keys.
    package var repeatedKeys: [FormCount]
    /// Forms that people have changed at once.
    package var parallelForms: [ParallelForm]
    /// Lists that people have changed at once, and nobody since.
    package var parallelLists: [ParallelList]
    /// The assignments that bind this device, each of which holds; empty where it may enter all.
    package var scopes: [[ScopeForm]]
    /// Why the room cannot be used, where its file could not be opened (role `damaged`, all
    /// counts 0).
    package var problem: Problem?

    /// A room whose file could not be opened.
    package init(name: String, id: String, current: Bool, autopush: Bool, problem: Problem) {
        self.init(
            name: name, id: id, role: "damaged", members: 0, records: 0, pending: 0, waiting: 0,
            refused: 0, conflicts: 0, digest: "", current: current, autopush: autopush)
        self.problem = problem
    }

    package init(
        name: String, id: String, role: String, members: Int, records: Int, pending: Int,
        waiting: Int, refused: Int, conflicts: Int, digest: String, current: Bool, autopush: Bool,
        withheld: Int = 0, blocked: Int = 0, isOpen: Bool = false, isHidden: Bool = false,
        activity: String? = nil, ownLogRecovery: OwnLogRecovery? = nil,
        removed: RemovalAnswer? = nil,
        onlyHere: Int = 0, onlyHereEntries: Int = 0, readers: Int = 0, isStale: Bool = false,
        others: [MemberProgress] = [], pendingEntries: Int = 0, invalid: [FormCount] = [],
        repeatedKeys: [FormCount] = [], parallelForms: [ParallelForm] = [],
        parallelLists: [ParallelList] = [], scopes: [[ScopeForm]] = []
    ) {
        self.scopes = scopes
        self.parallelForms = parallelForms
        self.parallelLists = parallelLists
        self.pendingEntries = pendingEntries
        self.invalid = invalid
        self.repeatedKeys = repeatedKeys
        self.others = others
        self.readers = readers
        self.onlyHere = onlyHere
        self.onlyHereEntries = onlyHereEntries
        self.isStale = isStale
        self.name = name
        self.id = id
        self.role = role
        self.members = members
        self.records = records
        self.pending = pending
        self.withheld = withheld
        self.waiting = waiting
        self.blocked = blocked
        self.refused = refused
        self.conflicts = conflicts
        self.digest = digest
        self.current = current
        self.autopush = autopush
        self.isOpen = isOpen
        self.isHidden = isHidden
        self.activity = activity
        self.ownLogRecovery = ownLogRecovery
        self.removed = removed
    }
}

/// How many of something there are in one form.
package struct FormCount: Codable, Hashable, Sendable {
    package var form: String
    package var count: Int

    package init(form: String, count: Int) {
        self.form = form
        self.count = count
    }
}

/// Batches of this device's own that it has to take back before it seals more.
package struct OwnLogRecovery: Codable, Hashable, Sendable {
    /// The device that holds them.
    package var peer: NamedDevice
    /// How many are still to come.
    package var batches: Int
    /// For how long sealing has been held.
    package var seconds: Int

    package init(peer: NamedDevice, batches: Int, seconds: Int) {
        self.peer = peer
        self.batches = batches
        self.seconds = seconds
    }
}

/// Whether devices nearby can be found.
package struct DiscoveryStatus: Codable, Hashable, Sendable {
    /// `running`, `starting`, `off` or `unavailable`.
    package var state: String
    package var hint: String?

    package init(state: String, hint: String? = nil) {
        self.state = state
        self.hint = hint
    }
}

/// The answer of `GET /v1/version`.
package struct VersionAnswer: Codable, Hashable, Sendable {
    /// The release of the daemon.
    package var version: String
    /// The version of the control API, 1.
    package var api: Int
    /// The version of the protocol between devices.
    package var protocolVersion: Int

    package init(version: String, api: Int, protocolVersion: Int) {
        self.version = version
        self.api = api
        self.protocolVersion = protocolVersion
    }

    private enum CodingKeys: String, CodingKey {
        case version
        case api
        case protocolVersion = "protocol"
    }
}

/// One line of `watch`.
package struct WatchEvent: Codable, Hashable, Sendable {
    /// A stable name, such as `received`.
    package var event: String
    /// RFC 3339, UTC; empty until it is told.
    package var at: String
    /// The name of the room.
    package var room: String?
    /// The other device that it is about, or who did it.
    package var peer: NamedDevice?
    package var form: String?
    /// A record's id.
    package var record: String?
    /// The values of the form's key in that record.
    package var key: String?
    /// Fields that were changed, or are in conflict.
    package var fields: [String]?
    /// The changes of an edit, as people read them.
    package var changes: [ShownChange]?
    /// Operations, entries or missed events, as the event says.
    package var count: Int?
    /// Why something was refused.
    package var reason: String?
    /// The same for people.
    package var text: String

    package init(
        event: String, at: String = "", room: String? = nil, peer: NamedDevice? = nil,
        form: String? = nil, record: String? = nil, key: String? = nil,
        fields: [String]? = nil, changes: [ShownChange]? = nil, count: Int? = nil,
        reason: String? = nil, text: String
    ) {
        self.key = key
        self.changes = changes
        self.event = event
        self.at = at
        self.room = room
        self.peer = peer
        self.form = form
        self.record = record
        self.fields = fields
        self.count = count
        self.reason = reason
        self.text = text
    }
}
