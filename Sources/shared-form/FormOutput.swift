import JSON
import ShareFormats
import Spreadsheet
import XLSForm

/// Writes a form as a file of another program.
enum FormOutput {
    /// The names that are others in the files of other programs.
    ///
    /// - Parameter request: `definition`, the text of the form.
    static func names(_ request: JSONObject) throws -> JSONObject {
        let changes = MendedNames(try form(of: request)).changes
        return [
            "names": .array(
                changes.map { ["old": .string($0.old), "new": .string($0.new)] })
        ]
    }

    private static func form(of request: JSONObject) throws -> JSONObject {
        guard
            let form = try JSONValue(text: Array((request["definition"]?.string ?? "").utf8)).object
        else { throw FormToolError(message: "the form is no JSON object", hint: nil) }
        return form
    }

    /// - Parameters:
    ///   - request: `definition`, the text of the form.
    ///   - kind: `xlsx`, `md` or `xform`.
    static func write(_ request: JSONObject, as kind: String) throws {
        let form = try form(of: request)
        do {
            switch kind {
            case "xlsx": FormTool.write(try XLSFormWriter.write(form).xlsx())
            case "md": FormTool.write(Array(try XLSFormWriter.write(form).markdown.utf8))
            case "xform": FormTool.write(try XFormWriter.write(form))
            default: throw FormToolError(message: "no kind \(kind)", hint: "xlsx, md or xform")
            }
        } catch let error as FormWritingError {
            throw FormToolError(message: "\(error)", hint: nil)
        } catch let error as SpreadsheetError {
            throw FormToolError(message: "\(error)", hint: error.hint)
        }
    }
}
