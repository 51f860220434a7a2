package import JSON

/// One place in a file that could not be taken, and why.
package struct RowError: JSONConvertible {
    /// The line on which the row starts, counted from 1; the header is line 1.
    package var line: Int
    /// The name of the column; nil where the whole row is at fault.
    package var column: String?
    package var reason: String

    package init(line: Int, column: String?, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        line = try object.get("line")
        column = try object.find("column")
        reason = try object.get("reason")
    }

    package var json: JSONValue {
        ["line": line.json, "column": column.json, "reason": reason.json]
    }
}
