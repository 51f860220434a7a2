import ShareCore
import ShareCrypto

/// The short numbers that stand for devices' keys in one file.
final class DeviceTable {
    private let database: Database
    private var numbers: [DeviceKey: Int64] = [:]
    private var keys: [Int64: DeviceKey] = [:]

    init(_ database: Database) { self.database = database }

    /// Forgets what a transaction that was undone may have added.
    func forget() {
        numbers = [:]
        keys = [:]
    }

    /// The device's number, given out if it has none yet.
    func number(of key: DeviceKey) throws -> Int64 {
        if let number = try find(key) { return number }
        try database.run("INSERT INTO _device(key) VALUES(?1)", .blob(key.bytes))
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

    private func remember(_ key: DeviceKey, _ number: Int64) {
        numbers[key] = number
        keys[number] = key
    }
}
