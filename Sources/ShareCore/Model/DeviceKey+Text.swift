package import ShareCrypto

extension DeviceKey {
    /// How a device is written in full: `dev:` and 52 characters.
    package var text: String { "dev:" + Base32.encode(bytes) }

    /// The first 8 characters, for people; not unique against an attacker.
    package var short: String { String(Base32.encode(bytes).prefix(8)) }

    /// Reads the full form, with or without `dev:`.
    package init?(text: String) {
        let digits = text.hasPrefix("dev:") ? text.dropFirst(4) : text[...]
        guard let bytes = Base32.decode(digits), let key = DeviceKey(bytes) else { return nil }
        self = key
    }
}
