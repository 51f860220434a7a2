package import ShareCore
package import ShareStore

/// A room of this device with its store.
package struct OpenRoom: Sendable {
    package let id: RoomID
    package let name: String
    package let store: RoomStore
    /// Whether new entries are pushed as they are made.
    package internal(set) var autopush: Bool
    /// By which door it is being joined, until the grant and all control logs are here.
    package internal(set) var joining: NodeRoom.Joining?

    var stay = LeaveIntent(.here)

    /// Whether it is left as soon as a member is in reach that can hear of it.
    package var isLeaving: Bool { stay.now == .leaving }

    package var isJoining: Bool { joining != nil }
}
