/// One advertisement on one network interface.
struct Sighting: Hashable, Comparable, Sendable {
    /// The instance's name exactly as the network has it.
    let name: String
    /// The interface's index.
    let interface: UInt32

    static func < (a: Sighting, b: Sighting) -> Bool {
        a.name == b.name ? a.interface < b.interface : a.name < b.name
    }
}
