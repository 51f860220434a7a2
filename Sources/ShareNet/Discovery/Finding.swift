/// What looking a sighting up has brought so far.
struct Finding: Hashable, Sendable {
    let text: ServiceText
    let port: UInt16
    /// Numeric addresses in the order of their arrival, at most 8.
    var addresses: [String] = []
    /// The interface's name.
    let interface: String
    let learned: ContinuousClock.Instant

    static let mostAddresses = 8

    mutating func insert(_ address: String) {
        guard addresses.count < Finding.mostAddresses, !addresses.contains(address) else { return }
        addresses.append(address)
    }

    mutating func remove(_ address: String) {
        addresses.removeAll { $0 == address }
    }
}
