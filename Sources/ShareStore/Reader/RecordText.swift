import ShareCore

/// How people name a record: its id or the last characters of it, and `@` with the beginning of
/// its creator's key where that is not enough.
struct RecordText {
    /// So many characters of an id must be given: with fewer a slip would fit some record.
    static let shortest = 4

    /// In lower case, as typed.
    let id: String
    /// The id, where it is all there.
    let full: RecordID?
    /// In lower case, without `dev:`; empty where none is named.
    let device: String

    /// Nil for what no record can be named by.
    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        id = SQLName.folded(String(parts.first ?? ""))
        var device = parts.count > 1 ? SQLName.folded(String(parts[1])) : ""
        if device.hasPrefix("dev:") { device.removeFirst(4) }
        self.device = device
        full = RecordID(text: id)
        guard !id.isEmpty, id.utf8.count <= RecordID.textLength,
            id.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
    }
}
