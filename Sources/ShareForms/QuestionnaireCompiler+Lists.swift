import Expressions

/// What is looked up in lists that change without the form.
extension QuestionnaireCompiler {
    /// Whether a value is looked up in a list of the room, a file, or entries of another form: a row
    /// that was there when an entry was made may be another one today, or none.
    ///
    /// - Parameter named: Finds the items that the expression names; called once at most, as it goes
    ///   through all of the expression.
    func looksOutside(_ expression: Expression, naming named: () -> [Int]) -> Bool {
        lazy var isListOutside = named().contains { item in
            // Of a list in the form a label stays known.
            items[item].list.map { tables[Array($0.utf8)] == nil } ?? false
        }
        return expression.terms.contains { term in
            switch term.kind {
            case .path(let path):
                guard case .instance(let name) = path.root else { return false }
                return tables[name] == nil
            case .call(.pulldata, let operands):
                guard let list = operands.first,
                    case .string(let name) = expression.terms[list].kind
                else { return true }
                return tables[name] == nil
            case .call(.choiceName, _): return isListOutside
            default: return false
            }
        }
    }
}
