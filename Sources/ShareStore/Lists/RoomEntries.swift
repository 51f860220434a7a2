package import ShareCore
import ShareCrypto

/// The entries of a form, as fields of other forms choose from them.
package struct RoomEntries: Hashable, Sendable {
    package let formID: String
    /// The number of the definition in force in this file.
    package let definition: Int64
    /// Entries shown.
    package let count: Int
    /// The names of the fields as who chooses sees them, by column.
    package let names: [String]
    /// Their names in the form.
    package let fields: [String]
    let table: String
    let columns: [String]
    /// The statement that reads one entry.
    let reading: String

    /// What a row has beside its fields.
    package static let own = ["name", "_state", "_author"]

    init(
        _ formID: String, _ definition: Int64, _ count: Int, _ table: String,
        _ fields: [(name: String, field: String, column: String)]
    ) {
        self.formID = formID
        self.definition = definition
        self.count = count
        self.table = table
        names = fields.map(\.name)
        self.fields = fields.map(\.field)
        columns = fields.map(\.column)
        reading = """
            SELECT t._id, t._state, t._created, d.key\
            \(columns.map { ", t." + SQLName.quote($0) }.joined())
            FROM \(SQLName.quote(table)) t
            LEFT JOIN _device d ON d.device = t._author WHERE t.rowid = ?1
            """
    }

    /// The SQL of what is compared in a column of `own` or of the fields; nil where nothing is.
    func sql(ofColumn column: String) -> String? {
        switch column {
        case "name": "_id"
        case "_state": "coalesce(_state, 'received')"
        case "_author": nil
        default: sql(column, in: names)
        }
    }

    /// The same of a field of the form, which may be called `name` as well.
    func sql(ofField field: String) -> String? { sql(field, in: fields) }

    /// The value that an entry has in a field of the form; absent where the form has no such field.
    package func value(of field: String, in entry: RoomEntry) -> FieldValue {
        position(of: field, in: fields).map { entry.values[$0] } ?? .absent
    }

    private func sql(_ name: String, in names: [String]) -> String? {
        position(of: name, in: names).map { SQLName.quote(columns[$0]) }
    }

    private func position(of name: String, in names: [String]) -> Int? {
        names.firstIndex { $0.utf8.elementsEqual(name.utf8) }
    }
}

/// One entry that can be chosen.
package struct RoomEntry: Sendable {
    package let id: String
    package let author: String
    package let state: String
    /// When it was made, in milliseconds since 1970.
    package let created: Int64
    /// In the order of `RoomEntries.names`.
    package let values: [FieldValue]
}

/// Entries that were looked for, by the numbers of their rows, in the order in which they came.
package struct FoundEntries: Sendable {
    package var rows: [Int64] = []
    /// Whether there are more than were asked for.
    package var isCut = false

    package init() {}
}

/// The conditions of lookups, with their values numbered from 1.
extension RoomEntries {
    /// Words that are looked for at once, and fields that they are looked for in.
    static let words = 8
    static let searched = 60

    /// The statement with the numbers of the entries that fulfil a condition; the last value that it
    /// binds is how many are wanted.
    func select(_ condition: String) -> String {
        "SELECT rowid FROM \(SQLName.quote(table)) \(condition) ORDER BY rowid LIMIT ?"
    }

    func condition(ofKey fields: [String]) -> String? {
        let columns = fields.compactMap { sql(ofField: $0) }
        guard !columns.isEmpty, columns.count == fields.count else { return nil }
        return "WHERE "
            + columns.enumerated().map { "\($1) IS ?\($0 + 1)" }.joined(separator: " AND ")
    }

    /// Each word binds itself, folded.
    func condition(containing words: [String], in fields: [String]) -> String {
        guard !words.isEmpty else { return "" }
        let fields = ["_id"] + fields.compactMap { sql(ofField: $0) }.prefix(Self.searched)
        return "WHERE "
            + words.indices.map { "\(Self.has)(?\($0 + 1), \(fields.joined(separator: ", ")))" }
            .joined(separator: " AND ")
    }

    /// The function that says whether a folded word is a part of one of the texts behind it.
    static let has = "has"

    /// The function itself. It makes no text of what is ASCII, as most is: a search calls it for each
    /// entry.
    static func has(_ arguments: SQLArguments) -> SQLValue {
        arguments.withText(0) { word in
            (1..<arguments.count).contains { position in
                arguments.withText(position) { text in
                    if isPart(word, of: text) { return true }
                    guard text.contains(where: { $0 >= 0x80 }) else { return false }
                    return FoldedText.bytes(String(decoding: text, as: UTF8.self))
                        .withUnsafeBufferPointer {
                            isPart(word, of: $0)
                        }
                }
            } ? 1 : 0
        }
    }

    /// Whether a word in small letters stands in a text, whatever the case of ASCII letters there.
    private static func isPart(
        _ word: UnsafeBufferPointer<UInt8>, of text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard word.count <= text.count else { return false }
        var start = 0
        while start <= text.count - word.count {
            var length = 0
            while length < word.count {
                let byte = text[start + length]
                let small = byte &- 65 < 26 ? byte | 0x20 : byte
                guard small == word[length] else { break }
                length += 1
            }
            if length == word.count { return true }
            start += 1
        }
        return false
    }
}
