import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats

/// Finds the device that a command means, among those that are or were members of a room.
///
/// By its id alone where it matters: a name is what a device says of itself, and must not decide who
/// is removed.
struct MemberLookup {
    /// Whom it may mean, with what each calls itself.
    let devices: [DeviceKey: String]
    /// Whether a name that only one has is enough.
    var takesNames = false

    /// Characters of an id that are enough where they fit one device only.
    private static let shortest = 4

    /// - Throws: `Problem` of `not_found_member` or `ambiguous_id`.
    func find(_ text: String) throws(Problem) -> DeviceKey {
        if let key = DeviceKey(text: text), devices[key] != nil { return key }
        let digits = DeviceText.plain(text)
        let found =
            digits.utf8.count < Self.shortest
            ? [] : devices.keys.filter { DeviceText.matches(text, $0) }.sorted()
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw Problem(
                .ambiguousID, "\(found.count) devices have an id that begins with \(digits)",
                hint: "Name one in full: " + found.map(\.text).joined(separator: ", ") + ".")
        }
        let named = devices.filter {
            $0.value == text || takesNames && $0.value.lowercased() == text.lowercased()
        }.keys.sorted()
        if takesNames, named.count == 1 { return named[0] }
        guard named.isEmpty else {
            let ids = named.prefix(4).map(\.short).joined(separator: ", ")
            throw Problem(
                .notFoundMember, "\(text) is a name, and a device is meant by its id",
                hint: named.count == 1
                    ? "The device that calls itself \(text) is \(ids)."
                    : "\(named.count) devices call themselves \(text): \(ids).")
        }
        guard digits.utf8.count >= Self.shortest else {
            throw Problem(
                .badRequest, "\"\(text)\" is too short to name a device",
                hint: "Give \(Self.shortest) characters or more of the beginning of its id:"
                    + " `shared members --all`.")
        }
        throw Problem(
            .notFoundMember, "no device \"\(text)\" is or was in the room",
            hint: Self.near(text, among: devices)
                ?? "See `shared members --all`; the first 8 characters of an id do.")
    }

    /// A hint that asks whether the device with the nearest name is meant; nil where none is near.
    static func near(_ text: String, among devices: [DeviceKey: String]) -> String? {
        let nearest = Suggestion.nearest(to: text, among: Set(devices.values).sorted())
        let found = devices.filter { $0.value == nearest }.keys.sorted().prefix(4)
        guard let nearest, !nearest.isEmpty, !found.isEmpty else { return nil }
        return "Did you mean \(nearest) (\(found.map(\.short).joined(separator: ", ")))?"
    }
}

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
