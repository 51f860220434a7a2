import JSON
import ShareFormats
import ShareForms

/// Looks at a form as the daemon does when it is added.
enum FormCheck {
    /// - Parameter request: `definition`, the text of the form, and `list_files`, the text of each
    ///   CSV file of a list that lies beside it.
    static func answer(to request: JSONObject) -> JSONObject {
        do {
            let form = try form(of: request)
            if let slip = form.misspelt { throw slip }
            let stored = form.stored.count + form.repeats.reduce(0) { $0 + $1.stored.count }
            return [
                "form_id": .string(form.formID), "version": .string(form.version),
                "title": .string(form.displayTitle()), "fields": .integer(Int64(stored)),
                "repeats": .array(form.repeats.map { .string($0.names.joined(separator: "/")) }),
                "lists": .integer(Int64(form.lists.count)),
                "warnings": .array(Questionnaire(form).notes.map { .string($0) }),
                "definition": .string(form.json),
            ]
        } catch let error as FormError {
            let place = error.line.flatMap { line in
                error.column.map { "line \(line), column \($0): " }
            }
            return [
                "problem": [
                    "message": .string((place ?? "") + error.description),
                    "hint": .string(error.hint),
                ]
            ]
        } catch {
            return ["problem": ["message": .string("\(error)")]]
        }
    }

    static func form(of request: JSONObject) throws -> Form {
        var lists: [ChoiceList] = []
        for member in request["list_files"]?.object?.members ?? [] {
            let text = member.value.string ?? ""
            lists.append(try ChoiceList(name: member.key, csv: Array(text.utf8)))
        }
        return try Form(json: Array((request["definition"]?.string ?? "").utf8), lists: lists)
    }
}
