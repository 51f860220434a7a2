import Glibc
import JSON
import ShareFormats
import ShareForms
import Spreadsheet
import XLSForm

/// A form in a file of tables: a workbook, a folder of CSV files, CSV or Markdown.
enum FormFile {
    static let inputBytes = 16 << 20

    /// The definition that the tables make, as text, and what is to be said of them.
    static func read(_ path: String) -> JSONObject {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        do {
            let reading = XLSFormReader.read(try workbook(path), name: stem)
            let text = (reading.form ?? reading.draft).map { FormText.lines(of: $0) }
            let errors = text.map { faults(of: reading, $0) } ?? []
            guard let form = reading.form, errors.isEmpty else {
                let told = (errors + reading.issues).map(json) + logic(of: reading)
                return ["issues": .array(told)]
            }
            let (mended, left) = withoutFaults(form, of: reading)
            return [
                "issues": .array((reading.issues + left).map(json)),
                "definition": .string(
                    String(decoding: FormText.lines(of: mended), as: UTF8.self)),
            ]
        } catch let error as SpreadsheetError {
            return ["issues": .array([issue("\(error)", error.hint)])]
        } catch let error as FormToolError {
            return ["issues": .array([issue(error.message, error.hint ?? "")])]
        } catch {
            return ["issues": .array([issue("\(error)", "")])]
        }
    }

    /// The faults of the form that the tables make, at their cells.
    private static func faults(of reading: XLSFormReader.Reading, _ text: [UInt8]) -> [FormIssue] {
        do {
            _ = try Form(json: text, isWritten: true)
            return []
        } catch {
            return reading.errors(error)
        }
    }

    /// The form without the defaults that no entry can begin with, and what is said of these at their
    /// cells: pyxform takes them, and on a phone nothing is chosen then.
    private static func withoutFaults(
        _ form: JSONObject, of reading: XLSFormReader.Reading
    ) -> (form: JSONObject, left: [FormIssue]) {
        guard let read = try? Form(json: FormText.lines(of: form)) else { return (form, []) }
        let faults = Questionnaire(read).findings.filter(\.isFault)
        let mended = faults.reduce(JSONValue.object(form)) { $0.without($1.path.steps[...]) }
        return (
            mended.object ?? form,
            faults.map { fault in
                reading.warning(
                    of: fault.subject, fault.member, "\(fault.text), and is left out",
                    hint: fault.hint ?? "")
            }
        )
    }

    /// The faults in the logic of a form that has others as well, so that all are told at once.
    /// References to what is not there are among the others already.
    private static func logic(of reading: XLSFormReader.Reading) -> [JSONValue] {
        guard let draft = reading.form ?? reading.draft,
            let form = try? Form(json: FormText.lines(of: draft))
        else { return [] }
        return Questionnaire(form).findings.filter { !$0.isAboutField }
            .prefix(FormLimits.warnings).map { found in
                var told =
                    json(
                        reading.warning(
                            of: found.subject, found.member, found.sentence,
                            hint: found.hint ?? "")
                    ).object ?? JSONObject()
                told["is_logic"] = .bool(true)
                return .object(told)
            }
    }

    private static func json(_ found: FormIssue) -> JSONValue {
        [
            "severity": .string(found.severity == .error ? "error" : "warning"),
            "message": .string(found.description), "hint": .string(found.hint),
        ]
    }

    /// What is wrong with the file itself, which whoever asked has named.
    private static func issue(_ message: String, _ hint: String) -> JSONValue {
        ["severity": "error", "message": .string(message), "hint": .string(hint)]
    }

    private static func workbook(_ path: String) throws -> Workbook {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return try folder(path) }
        var bytes = try bytes(of: path, limit: SpreadsheetLimits.fileBytes)
        // The mark that some editors put in front of UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        return try Workbook(file: bytes, name: path, wanted: XLSFormReader.isFormSheet)
    }

    /// The CSV files of a folder that are named like the sheets of a form.
    private static func folder(_ path: String) throws -> Workbook {
        var files: [(name: String, bytes: [UInt8])] = []
        for sheet in XLSFormReader.sheetNames {
            let file = "\(path)/\(sheet).csv"
            guard access(file, F_OK) == 0 else { continue }
            files.append((sheet, try bytes(of: file, limit: SpreadsheetLimits.fileBytes)))
        }
        guard !files.isEmpty else {
            throw FormToolError(
                message: "the folder has no survey.csv",
                hint: "A form is survey.csv, choices.csv and settings.csv in one folder.")
        }
        return try Workbook(csvFiles: files)
    }

    /// All of a file; `-` is standard input.
    static func bytes(of path: String, limit: Int) throws -> [UInt8] {
        let file = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw FormToolError(
                message: "cannot be read: \(String(cString: strerror(errno)))",
                hint: "See whether the path is right, and whether you may read it.")
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw FormToolError(
                    message: "cannot be read: \(String(cString: strerror(errno)))", hint: nil)
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw FormToolError(
                    message: "it has more than \(limit >> 20) MiB", hint: "Is it the right file?")
            }
        }
    }
}

extension JSONValue {
    /// The same without the value at the end of a way that leads there.
    fileprivate func without(_ way: ArraySlice<JSONPath.Step>) -> JSONValue {
        switch (way.first, self) {
        case (.member(let name)?, .object(var object)):
            object[name] = way.count == 1 ? nil : object[name]?.without(way.dropFirst())
            return .object(object)
        case (.element(let place)?, .array(var elements)) where elements.indices.contains(place):
            elements[place] = elements[place].without(way.dropFirst())
            return .array(elements)
        default: return self
        }
    }
}

/// A form as text that people can read and compare: each field and each choice has its line.
enum FormText {
    static func lines(of form: JSONObject) -> [UInt8] {
        var text: [UInt8] = Array("{".utf8)
        for (index, member) in form.members.enumerated() {
            text += (index == 0 ? "\n  " : ",\n  ").utf8
            text += JSONValue.string(member.key).text + ": ".utf8
            switch member.value {
            case .array(let elements) where elements.contains { $0.object != nil }:
                text += list(elements, "  ")
            case .object(let lists) where member.key == "lists":
                text += "{".utf8
                for (index, list) in lists.members.enumerated() {
                    text += (index == 0 ? "\n    " : ",\n    ").utf8
                    text += JSONValue.string(list.key).text + ": ".utf8
                    text += self.list(list.value.array ?? [], "    ")
                }
                text += "\n  }".utf8
            default: text += member.value.text
            }
        }
        return text + "\n}\n".utf8
    }

    private static func list(_ elements: [JSONValue], _ indent: String) -> [UInt8] {
        var text: [UInt8] = Array("[".utf8)
        for (index, element) in elements.enumerated() {
            text += (index == 0 ? "\n\(indent)  " : ",\n\(indent)  ").utf8
            text += element.text
        }
        return text + "\n\(indent)]".utf8
    }
}
