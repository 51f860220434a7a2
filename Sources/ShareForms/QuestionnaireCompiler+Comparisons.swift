import Expressions
import ShareFormats

/// Answers that are compared with what is no choice of theirs: such a condition never holds.
extension QuestionnaireCompiler {
    /// A text of an expression that is no choice of the field which it is compared with.
    struct NoChoice {
        let offset: Int
        let text: String
        let hint: String?
    }

    /// The texts of an expression that are no choices of the form's own lists, each once.
    mutating func comparedInVain(_ expression: Expression, at position: Int) -> [NoChoice] {
        var found: [NoChoice] = []
        var told: Set<[UInt8]> = []
        for (answer, written, isOne) in Self.comparisons(in: expression) {
            guard case .string(let bytes) = expression.terms[written].kind, !bytes.isEmpty,
                let field = chosen(expression.terms[answer], of: expression, at: position),
                let list = ownList(of: field)
            else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let known = names(of: list)
            let wrong = (isOne ? [text] : field.names(in: text)).first {
                !known.contains(Array($0.utf8))
            }
            guard let wrong, told.insert(Array("\(field.name)=\(wrong)".utf8)).inserted else {
                continue
            }
            // More are not told, and a form can compare thousands.
            let isTold = findings.kept.count + found.count < FormLimits.warnings
            found.append(
                NoChoice(
                    offset: expression.terms[written].offset,
                    text: "no choice of \(field.name) is called \(wrong.shortened(to: 60))",
                    hint: isTold
                        ? Suggestion.hint(
                            for: wrong, among: list.choices.map(\.name), otherwise: "") : nil))
        }
        return found
    }

    /// What is compared with what: two terms, and whether the second is one choice among several, as
    /// `selected()` has it.
    private static func comparisons(
        in expression: Expression
    ) -> [(answer: Term.ID, written: Term.ID, isOne: Bool)] {
        expression.terms.flatMap { term -> [(answer: Term.ID, written: Term.ID, isOne: Bool)] in
            switch term.kind {
            case .binary(.equal, let left, let right), .binary(.unequal, let left, let right):
                [(left, right, false), (right, left, false)]
            case .call(.selected, let operands) where operands.count == 2,
                .call(.isSelected, let operands) where operands.count == 2:
                [(operands[0], operands[1], true)]
            default: []
            }
        }
    }

    /// The one field that a term names.
    private func chosen(_ term: Term, of expression: Expression, at position: Int) -> Form.Field? {
        guard case .path = term.kind,
            let reference = expression.reference(at: term.offset),
            let found = targets(of: reference, at: position), found.count == 1
        else { return nil }
        return items[found[0]].field
    }

    /// The list of a field that is nothing but its choices: none that lies outside of the form, that
    /// answers make, or of which a phone looks the names up elsewhere (`search()`).
    private func ownList(of field: Form.Field) -> ChoiceList? {
        guard field.kind.isChoice, !field.kind.isFromFile, field.parameter("value") == nil,
            field.appearance?.contains("search(") != true, let name = field.list
        else { return nil }
        return form.lists.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private mutating func names(of list: ChoiceList) -> Set<[UInt8]> {
        if let known = choiceNames[Array(list.name.utf8)] { return known }
        let names = Set(list.choices.map { Array($0.name.utf8) })
        choiceNames[Array(list.name.utf8)] = names
        return names
    }
}

extension Expression {
    /// The reference that is written at a place: they stand in that order.
    fileprivate func reference(at offset: Int) -> Reference? {
        var (low, high) = (0, references.count)
        while low < high {
            let middle = (low + high) / 2
            if references[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low < references.count && references[low].offset == offset ? references[low] : nil
    }
}
