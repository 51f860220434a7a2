import JSON
import ShareFormats

/// Proposes a form for a CSV file.
enum FormGuess {
    private static let fileBytes = 200 << 20

    /// - Parameter options: `dates` and `decimal`, as an import takes them.
    static func answer(
        _ path: String, formID: String, _ options: ArraySlice<String>
    ) throws -> JSONObject {
        var dates: CSVHabits.DateOrder?
        var hasComma: Bool?
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            switch parts.first {
            case "dates": dates = CSVHabits.DateOrder(rawValue: parts[parts.count - 1])
            case "decimal": hasComma = parts.last == ","
            default: throw FormToolError(message: "no option \(option)", hint: nil)
            }
        }
        var guess = FormInference(dates: dates, hasDecimalComma: hasComma)
        do {
            try guess.read(try FormFile.bytes(of: path, limit: fileBytes))
        } catch let error as CSVError {
            throw FormToolError(message: "line \(error.line): \(error.reason)", hint: error.hint)
        }
        guard let form = guess.form(formID: formID) else {
            throw FormToolError(
                message: "the file has no column with a name",
                hint: "Its first line names the fields.")
        }
        return [
            "definition": .string(String(decoding: FormText.lines(of: form), as: UTF8.self)),
            "rows": .integer(Int64(guess.rows)),
            "notes": .array(guess.notes.map { .string($0) }),
        ]
    }
}
