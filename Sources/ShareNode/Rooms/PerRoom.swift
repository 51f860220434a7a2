import ShareCore
import ShareStore

/// A value for each room that was made for the store that the room has now.
///
/// A room may be left, its file be taken away, and the room be joined again, or its damaged file be
/// put aside: what was opened for the file before must not answer for the one that is there.
struct PerRoom<Value> {
    private struct Made {
        weak var store: RoomStore?
        let value: Value
    }

    private var made: [RoomID: Made] = [:]

    /// The value for a room, made anew where the room has another store than it was made for. Those
    /// for stores that are gone are let go of.
    mutating func value(of room: OpenRoom, _ make: () throws -> Value) rethrows -> Value {
        made = made.filter { $0.value.store != nil }
        if let known = made[room.id], known.store === room.store { return known.value }
        let value = try make()
        made[room.id] = Made(store: room.store, value: value)
        return value
    }

    /// Whether there is one for the store that the room has now.
    func has(_ room: OpenRoom) -> Bool { made[room.id]?.store === room.store }

    mutating func forget(_ room: RoomID) { made[room] = nil }
}
