import JSON
import ShareFormats

/// Proposes a form for a CSV file.
enum FormGuess {
    private static let fileBytes = 200 << 20

    static func answer(_ path: String, formID: String) throws -> JSONObject {
        var guess = FormInference()
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
