/// The connections that may be unproven at the same time, and which of them goes when one more
/// comes.
///
/// A newcomer always gets in: an honest peer is proven within milliseconds, so the oldest of the
/// address that holds most places is the one least likely to be honest. Addresses of one network
/// count together too, since one machine may have any number of IPv6 addresses in it.
struct UnprovenTable<ID: Hashable> {
    private struct Entry {
        let id: ID
        let address: String
        let network: String
    }

    private let total: Int
    private let perAddress: Int
    private let perNetwork: Int
    /// The oldest first; at most `total`.
    private var entries: [Entry] = []

    init(total: Int, perAddress: Int, perNetwork: Int) {
        self.total = max(total, 1)
        self.perAddress = max(perAddress, 1)
        self.perNetwork = max(perNetwork, 1)
    }

    var count: Int { entries.count }

    /// Takes `id` in, and returns the one that has to go for it, which is out already.
    ///
    /// - Complexity: O(`total`).
    mutating func insert(
        _ id: ID, from address: String, in network: String, isExempt: Bool
    ) -> ID? {
        var evicted: Entry?
        if !isExempt, entries.count(where: { $0.address == address }) >= perAddress {
            evicted = entries.first { $0.address == address }
        } else if !isExempt, entries.count(where: { $0.network == network }) >= perNetwork {
            evicted = oldest { $0.network == network }
        } else if entries.count >= total {
            let most = Self.most(of: entries.map(\.network))
            evicted = oldest { $0.network == most }
        }
        if let evicted { remove(evicted.id) }
        entries.append(Entry(id: id, address: address, network: network))
        return evicted?.id
    }

    /// The oldest of the address that has most places among some.
    private func oldest(where isCounted: (Entry) -> Bool) -> Entry? {
        let counted = entries.filter(isCounted)
        let most = Self.most(of: counted.map(\.address))
        return counted.first { $0.address == most }
    }

    /// The name that stands there most often; of several the one that stands there first.
    private static func most(of names: [String]) -> String? {
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        let most = counts.values.max()
        return names.first { counts[$0] == most }
    }

    /// Lets `id` out: it is proven, or gone. Without effect for one that is not in.
    mutating func remove(_ id: ID) { entries.removeAll { $0.id == id } }
}
