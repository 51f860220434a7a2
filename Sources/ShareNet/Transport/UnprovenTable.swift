/// Who may be unproven at the same time, and who goes when one more comes.
///
/// A newcomer always gets in: an honest peer is proven within milliseconds, so the oldest of the
/// address that holds most places is the one least likely to be honest.
struct UnprovenTable<ID: Hashable> {
    private let total: Int
    private let perAddress: Int
    /// The oldest first.
    private var byAddress: [String: [ID]] = [:]
    private var addresses: [ID: String] = [:]

    init(total: Int, perAddress: Int) {
        self.total = max(total, 1)
        self.perAddress = max(perAddress, 1)
    }

    var count: Int { addresses.count }

    /// Takes `id` in, and returns the one that has to go for it, which is out already.
    mutating func insert(_ id: ID, from address: String, isExempt: Bool) -> ID? {
        var evicted: ID?
        if !isExempt, let own = byAddress[address], own.count >= perAddress {
            evicted = own.first
        } else if addresses.count >= total {
            evicted = byAddress.max { $0.value.count < $1.value.count }?.value.first
        }
        if let evicted { remove(evicted) }
        byAddress[address, default: []].append(id)
        addresses[id] = address
        return evicted
    }

    /// Lets `id` out: it is proven, or gone. Without effect for one that is not in.
    mutating func remove(_ id: ID) {
        guard let address = addresses.removeValue(forKey: id) else { return }
        byAddress[address]?.removeAll { $0 == id }
        if byAddress[address]?.isEmpty == true { byAddress[address] = nil }
    }
}
