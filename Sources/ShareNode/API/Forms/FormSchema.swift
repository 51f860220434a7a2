import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// A form of a room with all that is needed to read, check and write its records.
struct FormsEntry: Sendable {
    let info: FormInfo
    let form: Form
    let parser: ValueParser

    init(_ info: FormInfo) {
        self.info = info
        form = Form(info.form)
        parser = ValueParser(form)
    }

    /// The form of that id.
    ///
    /// - Throws: `Problem` of `not_found_form`, with the nearest id.
    static func find(_ formID: String, in room: OpenRoom) async throws -> FormsEntry {
        if let info = await room.store.form(formID) { return FormsEntry(info) }
        let known = await room.store.forms().map(\.formID)
        throw Problem(
            .notFoundForm, "the room \(room.name) has no form \"\(formID.prefix(80))\"",
            hint: Suggestion.hint(
                for: formID, among: known, otherwise: "Add one: `shared form add FILE`."))
    }

    /// The names under which a record's values are shown, one for each column of the table:
    /// a field's own where the definition in force has it, else its column's.
    var names: [String] {
        info.columns.enumerated().map { place, column in
            place < form.stored.count ? column.field.name : column.name
        }
    }

    /// The place in the form of the field that a conflict is about; nil for hidden fields, and
    /// for those that the form does not have any more.
    func place(of field: RecordField) -> Int? {
        guard case .field(let field) = field else { return nil }
        return info.columns.prefix(form.stored.count).firstIndex { $0.field == field }
    }

    /// The name under which a field is shown.
    func name(of field: RecordField) -> String {
        guard case .field(let own) = field else { return field.shownName }
        return info.columns.firstIndex { $0.field == own }.map { names[$0] } ?? own.name
    }

    /// A field's value as JSON.
    func json(_ value: FieldValue, of field: FormField) -> JSONValue {
        let column = info.columns.firstIndex { $0.field == field }
        return RecordsValues.json(value, isSeveral: column.map { isSeveral($0) } ?? false)
    }

    /// Whether the value of a column is several choices.
    func isSeveral(_ column: Int) -> Bool {
        column < form.stored.count && form.stored[column].kind.isSeveral
    }
}

extension ValueError {
    /// The same for the control API.
    var problem: Problem {
        Problem(ErrorCode(rawValue: code) ?? .wrongType, description, hint: hint)
    }
}
