internal import ShareCrypto

extension Neighbourhood {
    /// The most addresses told of one device: whoever advertises another's key cannot make us
    /// dial without end.
    static let mostAddressesOfPeer = 16

    /// The devices other than `own`, ordered by key. Where one advertises itself several times,
    /// the newest finding decides, and the addresses of all that name the same port count.
    func peers(except own: DeviceKey) -> [DiscoveredPeer] {
        peers { $0.finding.text.device != own }
    }

    /// Who else advertises `own`, under another name than `name`; nobody while that is not known.
    func twins(of own: DeviceKey, besides name: String?) -> [DiscoveredPeer] {
        guard let name else { return [] }
        return peers { $0.finding.text.device == own && $0.sighting.name != name }
    }

    private func peers(
        where isMeant: ((sighting: Sighting, finding: Finding)) -> Bool
    ) -> [DiscoveredPeer] {
        var grouped: [DeviceKey: [(sighting: Sighting, finding: Finding)]] = [:]
        for item in findings where isMeant(item) && !item.finding.addresses.isEmpty {
            grouped[item.finding.text.device, default: []].append(item)
        }
        return grouped.keys.sorted().compactMap { key in
            guard let items = grouped[key], let newest = items.first else { return nil }
            let alike = items.filter { $0.finding.port == newest.finding.port }
            return DiscoveredPeer(
                key: key,
                name: ServiceName.printable(newest.sighting.name),
                port: newest.finding.port,
                addresses: Neighbourhood.addresses(of: alike.map(\.finding)),
                rooms: newest.finding.text.rooms,
                protocolVersion: newest.finding.text.protocolVersion,
                interfaces: Set(alike.map(\.finding.interface)).sorted())
        }
    }

    /// Whether the advertisement of that device and name has been seen.
    func sees(_ own: DeviceKey, named name: String?) -> Bool {
        findings.contains { $0.finding.text.device == own && $0.sighting.name == name }
    }

    /// In turns from each finding, so that one cannot push out the others'; IPv4 first.
    private static func addresses(of findings: [Finding]) -> [String] {
        var chosen: [String] = []
        for turn in 0..<Finding.mostAddresses {
            for finding in findings where turn < finding.addresses.count {
                let address = finding.addresses[turn]
                guard chosen.count < mostAddressesOfPeer, !chosen.contains(address) else {
                    continue
                }
                chosen.append(address)
            }
        }
        let (v4, v6) = (chosen.filter { !$0.contains(":") }, chosen.filter { $0.contains(":") })
        return v4.sorted() + v6.sorted()
    }
}
