import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// What was received and has no effect.
extension RecordsWork {
    /// Lines asked of the store at a time.
    private static let refusedPage = 1_000

    /// Writes all of it as one JSON array, a page after the other.
    func refused(_ write: ([UInt8]) async throws -> Void) async throws {
        var names: [DeviceKey: String?] = [:]
        var place: Int64 = 0
        var separator = "["
        while true {
            let page = try await room.store.refused(after: place, limit: Self.refusedPage)
            var text: [UInt8] = []
            for refused in page {
                let name: String?
                if let known = names[refused.author] {
                    name = known
                } else {
                    name = await self.name(of: refused.author)
                    names[refused.author] = .some(name)
                }
                let answer = RefusedAnswer(
                    author: refused.author.text, authorName: name, what: refused.what,
                    reason: refused.reason, count: refused.count,
                    log: refused.log.name,
                    batch: refused.batch.map { Hex.encode($0.batch.bytes) },
                    hint: Self.hint(refused.reason, refused.author))
                text += Array(separator.utf8) + answer.jsonText
                separator = ","
                place = refused.place
            }
            if page.count < Self.refusedPage {
                return try await write(text + Array((separator == "[" ? "[]" : "]").utf8))
            }
            try await write(text)
        }
    }

    /// What can be done about it; nil where nothing can.
    private static func hint(_ reason: String, _ author: DeviceKey) -> String? {
        switch reason {
        case "removed", "before grant":
            "written while it was no member; an owner can take it in: shared accept \(author.short)"
        case "forked":
            "its log has too many branches; an owner can name those that count: "
                + "shared accept \(author.short)"
        case "role": "the role did not allow it: shared members"
        case "type": "the value is not of the field's type: enter it again"
        case "malformed", "misplaced": "the program that made it is faulty: shared members"
        default: nil
        }
    }
}
