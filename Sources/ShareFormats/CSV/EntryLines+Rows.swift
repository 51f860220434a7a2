internal import JSON
internal import ShareCore

/// The rows that lie in an entry, and what they belong to.
extension EntryLines {
    /// The rows of a repeat in an entry, or in a row; nil for each that is no object.
    mutating func rows(of object: JSONObject, in name: String) -> [JSONObject?] {
        switch object[name] {
        case nil, .null: return []
        case .array(let rows):
            return rows.map { row in
                if row.object == nil {
                    report(
                        name, "a row of \(name) is \(row.kind), and no object",
                        "For instance \"\(name)\": [{\"age\": 30}].")
                }
                return row.object
            }
        case .some(let other):
            report(
                name, "the rows of \(name) are a list, and this is \(other.kind)",
                "For instance \"\(name)\": [{\"age\": 30}].")
            return []
        }
    }

    /// Refuses rows that could not be taken when their entry is there: those that belong to what has
    /// no id.
    mutating func requireIDs(_ object: JSONObject, _ path: [String] = []) {
        for one in parser.form.repeats
        where one.names.count == path.count + 1 && one.names.starts(with: path) {
            let rows = rows(of: object, in: one.name)
            if !rows.isEmpty, Self.hasNoID(object) {
                reportMissingID(of: one.name, in: path.last)
            }
            for case let row? in rows {
                _ = id(of: row)
                requireIDs(row, one.names)
            }
        }
    }

    static func hasNoID(_ object: JSONObject) -> Bool { (object["_id"] ?? .null) == .null }

    mutating func reportMissingID(of name: String, in row: String?) {
        report(
            "_id",
            "rows of \(name) belong to \(row.map { "a row of \($0)" } ?? "an entry") without an _id",
            "Give it one: a UUID of its own.")
    }

    /// The id that an entry, or a row, gives itself; nil for none, and for what is none, which is
    /// reported.
    mutating func id(of object: JSONObject) -> RecordID? {
        let text: String
        switch object["_id"] {
        case nil, .null: return nil
        case .string(let given): text = given
        case .some(let other): text = String(decoding: other.text, as: UTF8.self)
        }
        let id = RecordID(text: text)
        if id == nil {
            report(
                "_id", "\"\(FormReader.shown(text))\" is not the id of an entry",
                "Leave it out to add a new entry.")
        }
        return id
    }
}
