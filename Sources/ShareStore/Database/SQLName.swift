/// How names from outside get into SQL: quoted, never otherwise.
enum SQLName {
    /// The name as an identifier in double quotes. A name holds no NUL: see `ColumnNames`.
    static func quote(_ name: some StringProtocol) -> String {
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// The name as SQLite compares it: ASCII letters without their case.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
