import ShareControl
import ShareCore
import ShareCrypto

/// Rooms that this device founds.
extension Node {
    /// Founds a room, announces it, and tells those who watch.
    ///
    /// - Throws: as `RoomBook.create`.
    func create(
        _ name: String, isOpen: Bool = false, isHidden: Bool = false
    ) async throws -> JoinAnswer {
        let recovery = RecoveryCode.generate()
        let room = try await rooms.create(
            name, isOpen: isOpen, isHidden: isHidden, recovery: recovery)
        await advertise()
        tell("room_changed", in: room.name, "created \(room.name)")
        return JoinAnswer(
            room: room.named, created: true, founder: await named(identity.key), state: "member",
            role: Role.owner.name, isOpen: isOpen, isHidden: isHidden, recovery: recovery.text)
    }
}
