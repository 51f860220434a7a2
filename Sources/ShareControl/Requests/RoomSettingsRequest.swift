/// The body of `PUT /v1/settings/room`: what is nil stays as it is.
package struct RoomSettingsRequest: Codable, Hashable, Sendable {
    package var isOpen: Bool?
    package var isHidden: Bool?

    package init(isOpen: Bool? = nil, isHidden: Bool? = nil) {
        self.isOpen = isOpen
        self.isHidden = isHidden
    }
}
