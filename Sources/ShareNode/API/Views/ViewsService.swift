import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Reads and sets the views of rooms.
struct ViewsService: Sendable {
    let membership: Membership
    let sealing: Sealing

    /// The setting that holds them.
    private static let key = "views"

    func views(of room: OpenRoom) async -> ViewsAnswer {
        guard let text = await room.store.settings().values[Self.key],
            // Another device may have written what is none here.
            (try? RoomViews(json: Array(text.utf8))) != nil,
            let tree = try? JSONValue(text: Array(text.utf8))
        else { return ViewsAnswer(room: room.named, views: []) }
        return ViewsAnswer(room: room.named, views: tree.object?["views"]?.array ?? [])
    }

    /// Gives the room these views in place of those that it has, and offers them to everybody.
    ///
    /// - Throws: `Problem` of `bad_view` and `not_allowed`; `StoreError`.
    func set(_ body: [UInt8], in room: OpenRoom) async throws -> ViewsAnswer {
        let text = try Self.checked(body)
        try await requireEditor(of: room)
        do {
            try await sealing.control(in: room, as: .editor) { store in
                store.settings().values[Self.key] == text
                    ? [] : [store.setting(Self.key, to: text)]
            }
        } catch let error as RoleLost {
            try await membership.requireMember(of: room)
            try await requireEditor(of: room)
            throw error
        }
        return await views(of: room)
    }

    /// The file without its white space, where it is one.
    private static func checked(_ body: [UInt8]) throws -> String {
        do {
            _ = try RoomViews(json: body)
        } catch {
            throw Problem(.badView, error.description, hint: error.hint)
        }
        guard let tree = try? JSONValue(text: body) else { return "" }
        let text = tree.text
        guard text.count <= Limits.settingValue else {
            throw Problem(
                .badView, "the views are longer than \(Limits.settingValue / 1_024) KiB",
                hint: "Leave out what nobody looks at.")
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func requireEditor(of room: OpenRoom) async throws {
        try await membership.requireEditor(
            of: room, to: "set the views of", hint: "Ask an owner or an editor of the room.")
    }
}
