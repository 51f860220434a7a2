import ShareCore
import ShareCrypto

/// The short numbers that stand for devices' keys in one file, and what the devices are called.
final class DeviceTable {
    /// The id of a row's author, of whom `_author` has the number.
    static let authorID = authorID("_author")
    /// The numbers of devices whose id is compared with what follows.
    static let number = "SELECT device FROM _device WHERE id"

    /// The id of the device whose number stands in a column.
    static func authorID(_ column: String) -> String {
        "(SELECT id FROM _device WHERE device = \(column))"
    }

    private let database: Database
    private var numbers: [DeviceKey: Int64] = [:]
    private var keys: [Int64: DeviceKey] = [:]
    /// What devices call themselves, also those that have no number yet.
    private var names: [DeviceKey: String] = [:]

    init(_ database: Database) { self.database = database }

    /// Forgets what a transaction that was undone may have added.
    func forget() {
        names = [:]
        numbers = [:]
        keys = [:]
    }

    /// The device's number, given out if it has none yet.
    func number(of key: DeviceKey) throws -> Int64 {
        if let number = try find(key) { return number }
        try database.run(
            "INSERT INTO _device(key, id, name) VALUES(?1, ?2, ?3)", .blob(key.bytes),
            .text(key.text), names[key].map { .text($0) } ?? .null)
        let number = database.lastRowID
        remember(key, number)
        return number
    }

    /// The device's number, if it has one.
    func find(_ key: DeviceKey) throws -> Int64? {
        if let number = numbers[key] { return number }
        guard
            let number = try database.integer(
                "SELECT device FROM _device WHERE key = ?1", .blob(key.bytes))
        else { return nil }
        remember(key, number)
        return number
    }

    func key(of number: Int64) throws -> DeviceKey {
        if let key = keys[number] { return key }
        guard
            case .blob(let bytes)? = try database.row(
                "SELECT key FROM _device WHERE device = ?1", .integer(number))?.first,
            let key = DeviceKey(bytes)
        else { throw StoreError.damaged("device \(number)") }
        remember(key, number)
        return key
    }

    /// Takes note of names, and writes down those of devices that have a number.
    func note(_ names: [DeviceKey: String]) throws {
        for (key, name) in names where self.names[key] != name {
            self.names[key] = name
            try database.run(
                "UPDATE _device SET name = ?2 WHERE key = ?1 AND name IS NOT ?2",
                .blob(key.bytes), .text(name))
        }
    }

    /// Whether any of these names is new.
    func lacks(_ names: [DeviceKey: String]) -> Bool { names.contains { self.names[$0] != $1 } }

    /// Writes the ids anew: they follow from the keys.
    func restoreIDs() throws {
        for row in try database.rows("SELECT device, key, id FROM _device") {
            guard case .integer(let number) = row[0], case .blob(let bytes) = row[1],
                let key = DeviceKey(bytes), row[2] != .text(key.text)
            else { continue }
            try database.run(
                "UPDATE _device SET id = ?2 WHERE device = ?1", .integer(number), .text(key.text))
        }
    }

    private func remember(_ key: DeviceKey, _ number: Int64) {
        numbers[key] = number
        keys[number] = key
    }
}
