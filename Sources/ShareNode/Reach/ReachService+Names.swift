import ShareCore
package import ShareCrypto

/// What devices call themselves, and which release they run: heard from them or, as long as they
/// have not said their names themselves, from others.
extension ReachService {
    /// A name that others told stays so long before another one takes its place: each is written to
    /// the disk.
    private static let hearsayStays = Duration.seconds(60)

    /// Takes in what somebody else calls devices that are or were members of a room here, as long
    /// as they have not said their names themselves. What is told last counts.
    func note(_ names: [DeviceKey: String]) async {
        let now = ContinuousClock.now
        var news: [DeviceKey] = []
        for (key, name) in names where key != own && !name.isEmpty && name != key.short {
            var entry = known[key] ?? KnownPeer(key: key, name: "")
            if !entry.name.isEmpty {
                guard entry.lastMet == nil, entry.name != name,
                    entry.nameHeard.map({ now - $0 >= Self.hearsayStays }) ?? true
                else { continue }
            }
            entry.name = name
            self.names.note(key, name)
            entry.nameHeard = now
            known[key] = entry
            news.append(key)
        }
        if !news.isEmpty { await remember(news) }
    }

    /// Where a machine goes that has used a device's identity as well, the one that stays connected
    /// says what the device is called: both were, and the name that came last was the other's.
    func takeName(of key: DeviceKey) async {
        guard let name = await sync.name(of: key), !name.isEmpty, known[key] != nil,
            known[key]?.name != name
        else { return }
        known[key]?.name = name
        names.note(key, name)
        guard isMember(key) else { return }
        await remember([key])
        await shareNames()
    }

    /// Takes in which release a member runs; empty where it does not say.
    func note(release: String, of key: DeviceKey) async {
        let release = release.isEmpty ? nil : release
        guard known[key] != nil, isMember(key), known[key]?.release != release else { return }
        known[key]?.release = release
        await remember([key])
    }

    /// The names that devices give themselves, of those that have said it.
    func names(of keys: [DeviceKey]) -> [DeviceKey: String] {
        var names: [DeviceKey: String] = [:]
        for key in keys {
            if let name = known[key]?.name, !name.isEmpty, name != key.short { names[key] = name }
        }
        return names
    }

    /// The name that a device gives itself, or its short id.
    package func peerName(_ key: DeviceKey) -> String {
        let name = known[key]?.name ?? ""
        return name.isEmpty ? key.short : name
    }

    /// Tells the synchronisation what the members of each room, present and former, call themselves:
    /// those that have said it to this device, in a request in a file too, so that hearsay goes no
    /// further.
    func shareNames() async {
        for (room, list) in members {
            let met = (Array(list.keys) + (former[room] ?? [])).filter {
                known[$0]?.lastMet != nil || admitted[room]?.contains($0) == true
            }
            await sync.setNames(names(of: met), of: room)
        }
    }

    /// The release that a member ran when it was met last; nil where it has not said.
    func release(of key: DeviceKey) -> String? { known[key]?.release }
}
