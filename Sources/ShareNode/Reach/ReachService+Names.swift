import ShareCore
package import ShareCrypto

/// What devices call themselves, and which release they run: heard from them or, as long as they
/// have not said their names themselves, from others.
extension ReachService {
    /// Takes in what somebody else calls devices that are or were members of a room here, as long
    /// as they have not said their names themselves.
    func note(_ names: [DeviceKey: String]) async {
        var news: [DeviceKey] = []
        for (key, name) in names where key != own && !name.isEmpty && name != key.short {
            guard known[key]?.name.isEmpty ?? true else { continue }
            var entry = known[key] ?? KnownPeer(key: key, name: name)
            entry.name = name
            known[key] = entry
            news.append(key)
        }
        guard !news.isEmpty else { return }
        await remember(news)
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

    /// Tells the synchronisation what the members of each room, present and former, call themselves.
    func shareNames() async {
        for (room, list) in members {
            await sync.setNames(names(of: Array(list.keys) + (former[room] ?? [])), of: room)
        }
    }

    /// The release that a member ran when it was met last; nil where it has not said.
    func release(of key: DeviceKey) -> String? { known[key]?.release }
}
