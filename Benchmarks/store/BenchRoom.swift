import ShareCore
import ShareCrypto
import ShareStore

/// A room with an owner and its form, in a file of its own for each device.
struct BenchRoom {
    let folder: String
    let name: String
    let founding: Batch
    let owner: DeviceIdentity
    let store: RoomStore
    let form: OperationName
    /// What the owner has sealed so far.
    var control: [Batch]
    static let wall: UInt64 = 1_700_000_000_000

    init(folder: String, name: String) async throws {
        self.folder = folder
        self.name = name
        owner = DeviceIdentity.generate()
        founding = RoomStore.found(name: name, isOpen: false, wall: Self.wall, by: owner)
        store = try RoomStore(
            path: "\(folder)/\(name)-owner.sqlite", identity: owner, founding: founding)
        let definition = FormDefinition(
            formID: "visits", version: "1", parents: [], fields: VisitRows.fields, json: "{}")
        let batch = try await store.decide([.form(definition)], wall: Self.wall)[0]
        form = OperationName(batch: batch.id, index: 0)
        control = [founding, batch]
    }

    mutating func seal(_ operation: ControlOperation) async throws -> Batch {
        let batch = try await store.decide([operation], wall: Self.wall)[0]
        control.append(batch)
        return batch
    }

    mutating func grant(_ role: Role, to key: DeviceKey) async throws -> Batch {
        let after = await store.authority().latest(about: key)
        return try await seal(
            .grant(
                Grant(subject: key, role: role, firstControl: 1, firstRecords: 1, supersedes: after)
            ))
    }

    /// The file of another device, with what the owner has sealed so far.
    func device(_ identity: DeviceIdentity, _ label: String) async throws -> RoomStore {
        let other = try RoomStore(
            path: "\(folder)/\(name)-\(label).sqlite", identity: identity, founding: founding)
        _ = try await other.merge(control.map { IncomingBatch($0) })
        return other
    }
}
