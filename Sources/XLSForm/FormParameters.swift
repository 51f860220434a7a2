internal import JSON
internal import ShareFormats

/// The words `key=value` of the column parameters, apart by spaces, commas or semicolons.
enum FormParameters {
    /// The words by their keys in lower case; nil where a word has no `=`.
    static func read(_ text: String) -> JSONObject? {
        var found = JSONObject()
        // Spaces around the sign of equality belong to no word.
        let tight = text.split(separator: "=", omittingEmptySubsequences: false)
            .map { $0.trimmed }.joined(separator: "=")
        for word in tight.split(whereSeparator: { $0.isWhitespace || $0 == "," || $0 == ";" }) {
            let halves = word.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty else { return nil }
            found[halves[0].lowercased()] = .string(String(halves[1]))
        }
        return found.members.isEmpty ? nil : found
    }

    /// The words as a cell.
    static func text(_ parameters: JSONObject) -> String {
        parameters.members.map { "\($0.key)=\($0.value.plainText ?? "")" }.joined(separator: " ")
    }
}
