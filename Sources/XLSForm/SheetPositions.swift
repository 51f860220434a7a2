internal import JSON
package import ShareFormats
internal import Spreadsheet

/// Where in the sheets the parts of a form come from.
struct SheetPositions {
    var survey: FormSheet?
    /// Rows of questions, groups and repeats by their names in the form.
    var rows: [String: Row] = [:]
    /// The same by their places among the fields of the form, and of each group around them.
    var rowsInOrder: [[Int]: Row] = [:]
    var settings: (sheet: FormSheet, row: Row)?
    /// Of each choice of each list.
    var choices: [String: [SheetPosition]] = [:]

    /// The place of a member of a question, group or repeat.
    func place(of row: Row?, _ member: String?) -> SheetPosition {
        guard let survey else { return SheetPosition(sheet: "survey") }
        var place = survey.place(row, member)
        if place.column == nil, let member, member.hasPrefix("x.") {
            place.column = survey.header(.extra(String(member.dropFirst(2))))?.column
        }
        return place
    }

    /// The place of what lies there in the JSON of the form.
    func place(at path: JSONPath, _ member: String?) -> SheetPosition {
        guard case .member(let first)? = path.steps.first else { return place(of: nil, nil) }
        switch first {
        case "fields":
            let way = path.steps.compactMap { step in
                if case .element(let index) = step { index } else { nil }
            }
            return place(of: rowsInOrder[way], member)
        case "lists":
            guard path.steps.count > 1, case .member(let list) = path.steps[1],
                let choices = choices[list]
            else { break }
            if path.steps.count > 2, case .element(let index) = path.steps[2],
                choices.indices.contains(index)
            {
                return choices[index]
            }
            if let first = choices.first { return first }
        default:
            guard let settings else { break }
            var place = settings.sheet.place(settings.row, first == "title" ? "form_title" : first)
            if first == "key" { place.column = settings.sheet.header(.extra("key"))?.column }
            return place
        }
        return place(of: nil, nil)
    }
}

extension XLSFormReader.Reading {
    /// A question, group or repeat's member of which there is something to say, as a warning at its
    /// cell.
    package func warning(
        of subject: String, _ member: String, _ message: String, hint: String
    ) -> FormIssue {
        issue(.warning, places.place(of: places.rows[subject], member), message, hint)
    }

    /// What the form itself has wrong, at the cells it comes from, but for cells and rows of which
    /// an error is among the issues already.
    package func errors(_ error: FormError) -> [FormIssue] {
        let told = issues.filter { $0.severity == .error }
        return ([error] + error.others).compactMap { fault in
            let member = fault.member ?? SheetPositions.member(of: fault.code)
            let place = places.place(at: fault.path, member)
            let isField = fault.path.steps.first == .member("fields")
            let isTold = told.contains {
                $0.sheet == place.sheet && $0.row == place.row
                    && (isField || $0.column == place.column)
            }
            guard !isTold else { return nil }
            let hint =
                fault.code == .noFields
                ? "Add a question whose type keeps a value, such as text." : fault.hint
            return issue(.error, place, fault.detail, hint)
        }
    }

    private func issue(
        _ severity: FormIssue.Severity, _ place: SheetPosition, _ message: String, _ hint: String
    ) -> FormIssue {
        FormIssue(
            severity: severity, sheet: place.sheet, row: place.row, column: place.column,
            message: message, hint: hint)
    }
}

extension SheetPositions {
    /// The column that faults of a kind are about.
    fileprivate static func member(of code: FormError.Code) -> String? {
        switch code {
        case .badFieldName, .duplicateField: "name"
        case .missingList, .badList: "type"
        default: nil
        }
    }
}
