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
        let places = try await room.store.refusedPlaces()
        var separator = "["
        for first in stride(from: 0, to: places.count, by: Self.refusedPage) {
            let page = places[first..<min(first + Self.refusedPage, places.count)]
            var text: [UInt8] = []
            for refused in try await room.store.refused(at: page) {
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
            }
            try await write(text)
        }
        try await write(Array((separator == "[" ? "[]" : "]").utf8))
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
