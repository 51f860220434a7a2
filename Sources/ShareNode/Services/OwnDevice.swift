import Glibc
import ShareControl
import ShareCore
package import ShareCrypto
import ShareStore

/// This device: its identity, the name that it shows, and the keys that it had before.
package struct OwnDevice: Sendable {
    package let identity: DeviceIdentity
    package let name: String
    /// The keys of this device before its present one, which nobody can use any more.
    let formerKeys: [DeviceKey]
    /// The present key and the former ones.
    let keys: Set<DeviceKey>

    package init(identity: DeviceIdentity, name: String, formerKeys: [DeviceKey]) {
        self.identity = identity
        self.name = name
        self.formerKeys = formerKeys
        keys = Set(formerKeys).union([identity.key])
    }

    package var key: DeviceKey { identity.key }
}

/// Names of devices as people are shown them: what each calls itself, as far as that is known.
struct DeviceNames: Sendable {
    let own: OwnDevice
    let reach: ReachService

    /// The name that a device gave itself; nil where it is not known.
    func known(_ key: DeviceKey) async -> String? {
        if key == own.key { return own.name }
        let name = await reach.peerName(key)
        return name == key.short ? nil : name
    }

    /// The names of several devices, of those that are known.
    func known(_ keys: [DeviceKey]) async -> [DeviceKey: String] {
        var names = await reach.names(of: keys)
        if keys.contains(own.key) { names[own.key] = own.name }
        return names
    }

    /// A device by its id and the best name that is known for it.
    func named(_ key: DeviceKey) async -> NamedDevice {
        NamedDevice(id: key.text, name: key == own.key ? own.name : await reach.peerName(key))
    }

    /// The release of the program that a member ran when it was met last; nil where it has not said.
    func release(of key: DeviceKey) async -> String? {
        key == own.key ? Release.version : await reach.release(of: key)
    }

    /// A device, or the recovery key of a room, which no device has.
    func named(_ key: DeviceKey, in room: OpenRoom) async -> NamedDevice {
        await room.store.authority().recoveryKey == key
            ? NamedDevice(id: key.text, name: "the recovery code") : await named(key)
    }

    /// The first owners of a room, by name and id.
    func owners(in room: OpenRoom) async -> [String] {
        var owners: [String] = []
        for key in await room.store.authority().owners.prefix(4) {
            owners.append("\(await named(key).name) (\(key.short))")
        }
        return owners
    }

    /// Some members of a room in a sentence: by their names, and with the start of the id where
    /// another member has the same.
    func called(_ some: some Sequence<DeviceKey>, in room: OpenRoom) async -> [DeviceKey: String] {
        let members = await room.store.authority().members.map(\.device)
        let names = await known(Array(Set(members).union(some)))
        let count = Dictionary(grouping: names.values) { $0 }.mapValues(\.count)
        return Dictionary(
            some.map { key in
                let name = names[key] ?? key.short
                return (key, count[name, default: 1] == 1 ? name : "\(name) (\(key.short))")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// A device in a sentence: by its name and the start of its id, as names may be alike.
    func called(_ key: DeviceKey) async -> String {
        key.called(await named(key).name)
    }
}

extension DeviceKey {
    /// A device in a sentence, by the name that it has, if any.
    func called(_ name: String) -> String {
        name.isEmpty || name == short ? short : "\(name) (\(short))"
    }
}

/// The wall clock, for display and as the base of the hybrid clock.
package enum WallClock {
    /// Milliseconds since 1970; 0 for a clock before that.
    package static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        guard time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The moment as RFC 3339 in UTC, with milliseconds; at most the year 9999.
    package static func text(_ milliseconds: UInt64) -> String {
        RecordTimestamp.text(Int64(min(milliseconds, last)))
    }

    /// A moment for people: to the minute by this device's clock, as everywhere, `2026-11-21 14:30`.
    package static func words(_ milliseconds: UInt64) -> String {
        RecordTimestamp.local(Int64(min(milliseconds, last)))
    }

    /// The same of one written by `text`.
    package static func words(_ text: String) -> String {
        RecordTimestamp.milliseconds(text).map { RecordTimestamp.local($0) } ?? text
    }

    /// The end of the year 9999.
    private static let last: UInt64 = 253_402_300_799_999
}
