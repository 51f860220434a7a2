package import ShareCore

/// A room as `node.sqlite` lists it.
package struct NodeRoom: Sendable {
    package let id: RoomID
    /// What it is called here.
    package let name: String
    /// The name of its file in the folder of rooms.
    package let file: String
    package let autopush: Bool
    /// How it is being joined, while a join has been accepted that has not come to its end.
    package let joining: Joining?
    package let isLeft: Bool

    /// By which door a device comes in: with a code or a bundle, or where the room is open.
    package enum Joining: Int64, Sendable {
        case invited = 1
        case open = 2
    }
}
