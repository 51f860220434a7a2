import ShareControl
import ShareCore
import ShareCrypto

/// What a role may do to records (docs/security.md, "Roles").
struct RecordsPermission {
    let role: Role?

    init(_ role: Role?) { self.role = role }

    var mayAdd: Bool { (role ?? .viewer) >= .contributor }
    var mayChangeOthers: Bool { (role ?? .viewer) >= .editor }

    /// - Throws: `Problem` of `not_allowed` for who may not change any record.
    func mayChange(_ name: RecordName, as key: DeviceKey) throws -> Bool {
        try requireAdd()
        return name.creator == key || mayChangeOthers
    }

    /// - Throws: `Problem` of `not_allowed`.
    func requireAdd() throws {
        guard !mayAdd else { return }
        throw Problem(
            .notAllowed,
            role.map { "a \($0.name) may look and not write" } ?? "this device is not a member",
            hint: "ask an owner of the room for another role")
    }
}
