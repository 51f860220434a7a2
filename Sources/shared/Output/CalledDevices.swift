internal import ShareControl

/// What several devices are called in a sentence or a table: each by its name, and where two have
/// one name, each of these with its short id.
struct CalledDevices {
    /// The names that several have.
    private let alike: Set<String>

    /// - Parameter devices: all that there are, by id and name; a device may be among them twice.
    init(_ devices: some Sequence<(id: String, name: String)>) {
        var named: [String: Set<String>] = [:]
        for device in devices { named[device.name, default: []].insert(device.id) }
        alike = Set(named.filter { $0.value.count > 1 }.keys)
    }

    init(_ members: [MemberProgress]) { self.init(members.map { ($0.id, $0.name) }) }

    init(_ answer: SyncAnswer) {
        self.init(
            answer.peers.map { ($0.id, $0.name) }
                + (answer.absent + answer.withUnsent).map { ($0.id, $0.name) })
    }

    func callAsFunction(_ name: String, _ id: String) -> String {
        alike.contains(name) ? Text.device(name, id) : Text.name(name, id)
    }
}
