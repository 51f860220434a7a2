/// Terms whose value is the same for every record: what is computed once, before any is looked at.
extension Expression {
    /// The value of a term that reads no field and depends on no chance; nil for another, and for
    /// one that has no value.
    package func constant(_ id: Term.ID, in context: any EvaluationContext) -> Value? {
        guard isConstant(id) else { return nil }
        var evaluator = Evaluator(
            terms: terms, context: context, current: Node(rawValue: 0), budget: Budget())
        return try? evaluator.value(id, Evaluator.Focus(node: Node(rawValue: 0)))
    }

    private func isConstant(_ left: Term.ID, _ right: Term.ID) -> Bool {
        guard terms[left].isArithmetic else { return isConstant(left) && isConstant(right) }
        let (first, rest) = terms.chain(at: left)
        return isConstant(right) && isConstant(first) && rest.allSatisfy { isConstant($0.operand) }
    }

    private func isConstant(_ id: Term.ID) -> Bool {
        switch terms[id].kind {
        case .number, .string: true
        case .path: false
        case .negation(let operand), .match(let operand, _): isConstant(operand)
        case .binary(_, let left, let right): isConstant(left, right)
        case .logical(_, let operands): operands.allSatisfy { isConstant($0) }
        case .call(let function, let arguments):
            switch function {
            case .random, .uuid, .once, .position, .last, .version, .property: false
            case .stringLength, .normalizeSpace:
                !arguments.isEmpty && arguments.allSatisfy { isConstant($0) }
            default: arguments.allSatisfy { isConstant($0) }
            }
        }
    }
}
