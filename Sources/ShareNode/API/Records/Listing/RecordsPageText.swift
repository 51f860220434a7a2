import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// What a request says of the part of a list that it wants.
enum RecordsPageText {
    /// What nobody can ask for more than in one answer.
    private static let longest = 10_000

    /// - Throws: `Problem` for what is no number of records.
    static func limit(_ query: HTTPFields, otherwise limit: Int) throws -> Int {
        guard let text = query["limit"] else { return limit }
        guard let number = Int(text), (1...longest).contains(number) else {
            throw Problem(
                .badRequest, "limit is a number from 1 to \(longest), not \"\(text.prefix(40))\"",
                hint: "Ask for less at a time.")
        }
        return number
    }

    /// The record behind which a page begins; nil for the first page.
    ///
    /// - Throws: `Problem` for what no page ended with.
    static func after(_ query: HTTPFields) throws -> RecordName? {
        guard let text = query["after"] else { return nil }
        let parts = text.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let id = RecordID(text: String(parts[0])),
            let creator = DeviceKey(text: String(parts[1]))
        else {
            throw Problem(
                .badRequest, "after is no position in this list",
                hint: "Take it from the page before: ID@DEVICE@FORM.")
        }
        return RecordName(form: String(parts[2]), creator: creator, id: id)
    }

    /// The place behind a record.
    static func text(_ record: RecordName) -> String {
        "\(record.id.text)@\(record.creator.text)@\(record.form)"
    }
}
