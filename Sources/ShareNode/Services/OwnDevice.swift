import ShareStore
import ShareControl
import ShareCore
package import ShareCrypto

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
        var names: [DeviceKey: String] = [:]
        for key in Set(keys) { names[key] = await known(key) }
        return names
    }

    /// A device by its id and the best name that is known for it.
    func named(_ key: DeviceKey) async -> NamedDevice {
        NamedDevice(id: key.text, name: key == own.key ? own.name : await reach.peerName(key))
    }

    /// A device, or the recovery key of a room, which no device has.
    func named(_ key: DeviceKey, in room: OpenRoom) async -> NamedDevice {
        await room.store.authority().recoveryKey == key
            ? NamedDevice(id: key.text, name: "the recovery code") : await named(key)
    }

    /// A device in a sentence: by its name and the start of its id, as names may be alike.
    func called(_ key: DeviceKey) async -> String {
        let name = await named(key).name
        return name.isEmpty || name == key.short ? key.short : "\(name) (\(key.short))"
    }
}
