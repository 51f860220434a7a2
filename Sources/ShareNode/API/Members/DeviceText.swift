import ShareCore
import ShareCrypto

/// How people write a device's id: the whole of it or its beginning, in groups or not.
enum DeviceText {
    /// Without `dev:`, dashes and spaces, in lower case.
    static func plain(_ text: String) -> String {
        let text = text.lowercased()
        return (text.hasPrefix("dev:") ? text.dropFirst(4) : text[...]).filter {
            $0 != " " && $0 != "-"
        }
    }

    /// Whether the text is the beginning of the device's id.
    static func matches(_ text: String, _ key: DeviceKey) -> Bool {
        plain(key.text).hasPrefix(plain(text))
    }
}
