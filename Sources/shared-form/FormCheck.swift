import JSON
import ShareFormats
import ShareForms

/// Looks at a form as the daemon does when it is added.
enum FormCheck {
    /// - Parameter request: `definition`, the text of the form, and `lists`, the path of the CSV
    ///   file of each list that lies beside it.
    static func answer(to request: JSONObject) -> JSONObject {
        do {
            let form = try form(of: request, isWritten: true)
            let files = request["lists"]?.object?.members ?? []
            for file in files { try check(file.key, file.value.string ?? "") }
            let missing = form.outsideLists.filter { name in !files.contains { $0.key == name } }
            let questionnaire = Questionnaire(form)
            let faults = questionnaire.faults
            guard faults.isEmpty else {
                return [
                    "problems": .array(
                        faults.map { ["message": .string($0), "hint": .string($1 ?? "")] })
                ]
            }
            let stored = form.stored.count + form.repeats.reduce(0) { $0 + $1.stored.count }
            return [
                "form_id": .string(form.formID), "version": .string(form.version),
                "title": .string(form.displayTitle()), "fields": .integer(Int64(stored)),
                "repeats": .array(form.repeats.map { .string($0.names.joined(separator: "/")) }),
                "lists": .integer(Int64(form.lists.count + files.count)),
                "warnings": .array(
                    (missing.map { Self.note(on: $0, form) } + questionnaire.notes).map {
                        .string($0)
                    }),
                "definition": .string(form.json),
            ]
        } catch let error as FormError {
            return [
                "problems": .array(
                    ([error] + error.others).map {
                        ["message": .string($0.located), "hint": .string($0.hint)]
                    })
            ]
        } catch let error as FormToolError {
            return [
                "problem": ["message": .string(error.message), "hint": .string(error.hint ?? "")]
            ]
        } catch {
            return ["problem": ["message": .string("\(error)")]]
        }
    }

    static func form(of request: JSONObject, isWritten: Bool = false) throws -> Form {
        try Form(
            json: Array((request["definition"]?.string ?? "").utf8), isWritten: isWritten)
    }

    private static func check(_ name: String, _ path: String) throws {
        var file = try ListFile(name: name)
        try file.read(try FormFile.bytes(of: path, limit: FormFile.inputBytes))
        _ = try file.finish()
    }

    private static func note(on list: String, _ form: Form) -> String {
        let near = Suggestion.nearest(to: list, among: form.lists.map(\.name))
        return "list \(list) is not in the form: the room has to have it"
            + (near.map { "; or is \($0) meant?" } ?? "")
    }
}
