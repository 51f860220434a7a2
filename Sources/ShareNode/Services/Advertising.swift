import ShareStore
import ShareCore
import ShareNet
import Synchronization

/// Announces this device with its rooms, and says where others may reach it.
final class Advertising: Sendable {
    private let own: OwnDevice
    private let rooms: RoomBook
    /// Where this device listens.
    private let endpoint: Endpoint
    private let discovery: Discovery?
    /// What is announced now.
    private let current = Mutex<Advertisement?>(nil)

    init(own: OwnDevice, rooms: RoomBook, endpoint: Endpoint, discovery: Discovery?) {
        self.own = own
        self.rooms = rooms
        self.endpoint = endpoint
        self.discovery = discovery
    }

    /// Announces the device with its rooms, where that is not what is announced already.
    func refresh() async {
        guard let discovery else { return }
        let wanted = Advertisement(
            name: own.name, port: endpoint.port, device: own.key,
            rooms: await advertisedRooms())
        let isNew = current.withLock { current in
            defer { current = wanted }
            return current != wanted
        }
        if isNew { discovery.advertise(wanted) }
    }

    /// The rooms that strangers may know of: those that this device is in and that are not hidden.
    func advertisedRooms() async -> [AdvertisedRoom] {
        var list: [AdvertisedRoom] = []
        for room in await rooms.all() where !room.isJoining {
            let settings = await room.store.settings()
            guard !settings.isHidden, await rooms.role(in: room.id) != nil,
                let advertised = AdvertisedRoom(
                    name: room.name, shortID: room.id.short, isOpen: settings.isOpen)
            else { continue }
            list.append(advertised)
        }
        return list
    }

    /// Where others on the network may reach this device: `HOST:PORT`, two at most.
    func ownAddresses() -> [String] {
        let isAny = ["*", "0.0.0.0", "::"].contains(endpoint.host)
        let hosts =
            isAny ? LocalAddresses.all().filter(PrivateAddress.isPrivate) : [endpoint.host]
        return hosts.prefix(2).map { Endpoint(host: $0, port: endpoint.port).text }
    }
}
