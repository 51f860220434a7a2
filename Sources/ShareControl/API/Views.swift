package import JSON

/// The views of a room, as its editors have written them (docs/analysis.md, "Views").
package struct ViewsAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// Each as in the file; those that cannot be read here are left out.
    package var views: [JSONValue]

    package init(room: NamedRoom, views: [JSONValue]) {
        self.room = room
        self.views = views
    }
}
