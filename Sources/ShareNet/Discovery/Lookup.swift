/// A sighting being looked up: first host, port and TXT record, then the host's addresses. Its
/// references live no longer than that.
struct Lookup {
    /// How long host, port and TXT record may take; Avahi itself gives up after 5 s.
    static let resolveLimit = Duration.seconds(6)
    /// How long addresses may take: that a host has none of a family is never reported.
    static let addressLimit = Duration.seconds(2)
    /// How long to wait for further addresses once each family has given one.
    static let settleLimit = Duration.milliseconds(300)

    /// Told apart from an earlier lookup of the same sighting.
    let number: UInt64
    var references: [ServiceReference] = []
    var finding: Finding?
    var families: Set<UInt16> = []
    var deadline: ContinuousClock.Instant

    /// Ends its references; nothing more is heard of them.
    func close() {
        for reference in references { reference.close() }
    }
}
