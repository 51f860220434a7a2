import Expressions
import ShareCore
import ShareFormats

/// Defaults: which of them are computed, and what is wrong with those that are written as they are.
extension QuestionnaireCompiler {
    /// Whether a default is an expression: it names a field or calls a function, or is of a number
    /// and none. Anything else is the value itself, such as `2026-01-01` or `none`.
    static func isComputed(_ text: String, of field: Form.Field) -> Bool {
        if field.kind.storage == .integer || field.kind.storage == .decimal {
            return Double(text) == nil
        }
        if text.utf8.contains(0x24), text.contains("${") { return true }
        if looksLikeCall(text) { return true }
        guard text.utf8.last == UInt8(ascii: ")") || text.contains("("),
            case .expression(let expression) = Expression.parse(Array(text.utf8))
        else { return false }
        return expression.terms.contains {
            switch $0.kind {
            case .call, .match: true
            default: false
            }
        }
    }

    /// Whether a text begins as the call of a function does, `name(`: also of one that is not known.
    private static func looksLikeCall(_ text: String) -> Bool {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "(")) else { return false }
        let name = text.utf8[..<end]
        let isLetter = { (byte: UInt8) in (0x61...0x7a).contains(byte | 0x20) }
        return name.first.map(isLetter) == true
            && name.allSatisfy {
                isLetter($0) || (0x30...0x3a).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            }
    }

    /// The field that `${last-saved#name}` names; nil for anything else.
    static func lastSaved(_ text: String) -> String? {
        let (start, end) = ("${last-saved#", "}")
        guard text.hasPrefix(start), text.hasSuffix(end) else { return nil }
        return String(text.dropFirst(start.utf8.count).dropLast())
    }

    /// Whether a default can be chosen, as far as the form's own list says; else it is told.
    mutating func isOffered(
        _ text: String, _ field: Form.Field, _ position: Int
    ) -> Bool {
        guard field.kind.isChoice, let list = field.list, !list.contains("$"),
            let known = form.lists.first(where: { $0.name.utf8.elementsEqual(list.utf8) })
        else { return true }
        let names = Set(known.choices.map { Array($0.name.utf8) })
        guard let wrong = field.names(in: text).first(where: { !names.contains(Array($0.utf8)) })
        else { return true }
        note(
            position, "default", "\"\(wrong.shortened(to: 60))\" is no choice of \(list)",
            Suggestion.hint(
                for: wrong, among: known.choices.map(\.name), otherwise: "Name one that is."),
            isFault: true)
        return false
    }

    /// Whether the default of a number is neither one nor an expression: `abc`, where no field is
    /// called so.
    func isNoNumber(_ text: String, _ field: Form.Field, _ position: Int) -> Bool {
        guard field.kind.storage == .integer || field.kind.storage == .decimal,
            !text.utf8.contains(where: { "$(/".utf8.contains($0) })
        else { return false }
        guard case .expression(let expression) = Expression.parse(Array(text.utf8)) else {
            return true
        }
        return expression.references.contains {
            fault(of: $0, at: position, withHint: false) != nil
        }
    }

    mutating func noteDefault(_ text: String, _ field: Form.Field, _ position: Int) {
        let example =
            switch field.kind.storage {
            case .date: "2026-11-21"
            case .time: "14:30"
            case .dateTime: "2026-11-21T14:30"
            case .text where field.kind.isPlace: "12.65 -8.0 0 0"
            case .text where field.kind == .acknowledge: "OK"
            case .text: "P1020.jpg"
            default: "42"
            }
        note(
            position, "default", "\"\(text.shortened(to: 60))\" is no value of this field",
            "Write it as it is stored, for instance \(example).", isFault: true)
    }
}
