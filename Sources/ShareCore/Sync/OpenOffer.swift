/// An open room, as a member shows it to whoever asks (docs/protocol/joining.md §9).
package struct OpenOffer: Hashable, Sendable {
    package let welcome: JoinWelcome
    /// Whether the member may admit others, as an owner or an editor.
    package let admits: Bool

    /// What everybody becomes who joins an open room.
    package static let role = Role.collector

    package init(room: RoomID, founding: [UInt8], name: String, admits: Bool) {
        welcome = JoinWelcome(room: room, founding: founding, name: name, role: OpenOffer.role)
        self.admits = admits
    }
}
