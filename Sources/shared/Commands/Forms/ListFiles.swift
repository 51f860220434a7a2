internal import JSON
internal import ShareControl
import Glibc

/// The CSV files of lists that a form names and does not hold itself: `lists/NAME.csv` beside the
/// form's file, or beside its folder.
enum ListFiles {
    /// The text of each file that is there, by the name of the list.
    ///
    /// - Throws: `Problem` with `fileUnreadable` or `tooLarge`; a file that is not there is none,
    ///   and whether the list is needed the daemon knows.
    static func read(for form: JSONValue, beside path: String) throws(Problem) -> JSONObject {
        var files = JSONObject()
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let held = form.object?["lists"]?.object
        for name in names(in: form.object?["fields"]) where held?[name] == nil && isPlain(name) {
            let candidates = ["\(folder)lists/\(name).csv", "\(folder)../lists/\(name).csv"]
            guard let file = candidates.first(where: { access($0, F_OK) == 0 }) else { continue }
            let bytes = try InputFile(file).contents(limit: ControlLimits.bodyBytes)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem(
                    .badFile, "\(file) is not UTF-8", hint: "Save it as UTF-8, then try again.")
            }
            files[name] = .string(text)
        }
        return files
    }

    /// The lists that fields name, also those in groups and repeats.
    private static func names(in fields: JSONValue?) -> [String] {
        (fields?.array ?? []).compactMap(\.object).flatMap { field in
            [field["list"]?.string].compactMap { $0 } + names(in: field["fields"])
        }
    }

    /// Whether it is a name and no path, so that a form cannot fetch any other file.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("@") && !name.contains("/")
            && !name.unicodeScalars.contains("\0")
    }
}
