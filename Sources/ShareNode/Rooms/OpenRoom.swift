package import ShareCore
package import ShareStore

/// A room of this device with its store.
package struct OpenRoom: Sendable {
    package let id: RoomID
    package let name: String
    package let store: RoomStore
    /// Whether new entries are pushed as they are made.
    package internal(set) var autopush: Bool
    /// Whether a join has been accepted whose grant has not come yet.
    package internal(set) var isJoining: Bool
}
