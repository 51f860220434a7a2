/// What is wrong with a device's identity or with what it has written.
package struct DeviceFault: Codable, Hashable, Sendable {
    /// `forked_log` or `two_machines`.
    package var kind: String
    package var device: NamedDevice
    /// The room whose log has forked.
    package var room: String?
    /// `control` or `records`, of a log that has forked.
    package var log: String?
    /// The first places in that log that are taken twice.
    package var numbers: [Int]
    /// How many branches the log has.
    package var branches: Int?
    /// Whether nothing of the log counts but what an owner accepts.
    package var refused: Bool
    /// What has happened, for people.
    package var detail: String
    /// What to do.
    package var hint: String

    package init(
        kind: String, device: NamedDevice, room: String? = nil, log: String? = nil,
        numbers: [Int] = [], branches: Int? = nil, refused: Bool = false, detail: String,
        hint: String
    ) {
        self.kind = kind
        self.device = device
        self.room = room
        self.log = log
        self.numbers = numbers
        self.branches = branches
        self.refused = refused
        self.detail = detail
        self.hint = hint
    }
}
