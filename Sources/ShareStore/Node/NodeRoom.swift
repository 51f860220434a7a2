package import ShareCore

/// A room as `node.sqlite` lists it.
package struct NodeRoom: Sendable {
    package let id: RoomID
    /// What it is called here.
    package let name: String
    /// The name of its file in the folder of rooms.
    package let file: String
    package let autopush: Bool
    /// Whether a join has been accepted whose grant has not come.
    package let isJoining: Bool
    package let isLeft: Bool
}
