import Foundation
import JSON
import ShareTestKit
import Spreadsheet
import XLSForm

/// The forms of `Tests/interop/xlsform`.
enum FixtureForm {
    static let folder = Repository.url("Tests/interop/xlsform")

    static let names = [
        "aliases", "choices", "defaults", "entities", "languages", "questions", "repeats",
    ]

    static func workbook(_ name: String) throws -> Workbook {
        let url = folder.appending(path: "forms/\(name).md")
        return try Workbook(markdown: Array(try Data(contentsOf: url)), name: "\(name).md")
    }
}

/// Reads a form from Markdown tables.
func read(_ markdown: String, name: String = "form") throws -> XLSFormReader.Reading {
    XLSFormReader.read(try Workbook(markdown: Array(markdown.utf8)), name: name)
}

/// The JSON of a definition, as text.
func json(_ form: JSONObject?) -> String {
    var writer = JSONWriter()
    writer.value(form.map { .object($0) } ?? .null)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// A value without the order of its members, which is for people.
func sorted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let values): .array(values.map { sorted($0) })
    case .object(let object):
        .object(
            JSONObject(
                object.members.map { JSONObject.Member(key: $0.key, value: sorted($0.value)) }
                    .sorted { $0.key < $1.key }))
    default: value
    }
}
