/// Location paths (XPath 1.0 §2): names, `*`, `.`, `..` and conditions, and roots that forms use.
extension Parser {
    /// Reads the steps after `root`.
    ///
    /// - Parameter isStarted: True where the root is written, so that a slash comes before a step.
    mutating func path(
        from root: Path.Root, at offset: Int, isStarted: Bool
    ) throws(Failure) -> Term.ID {
        var steps: [Path.Step] = []
        var operands: [Term.ID] = []
        if isStarted, current == .leftBracket {
            var step = Path.Step(move: .itself)
            try predicates(of: &step, root, &operands)
            steps.append(step)
        }
        var wantsStep = !isStarted
        if root == .document {
            index += 1
            wantsStep = startsStep
        }
        while wantsStep || take(.slash) {
            wantsStep = false
            guard steps.count < ExpressionLimit.depth else { throw tooDeep(offset) }
            var step = Path.Step(move: try move())
            if current == .leftBracket {
                switch step.move {
                case .child, .children: try predicates(of: &step, root, &operands)
                case .parent, .itself: throw unsupported("a condition after . or ..")
                }
            }
            steps.append(step)
        }
        if current == .doubleSlash { throw unsupported("the step //") }
        return try add(.path(Path(root: root, steps: steps)), .nodes, at: offset, over: operands)
    }

    private var startsStep: Bool {
        switch current {
        case .name, .star, .dot, .doubleDot, .at: true
        default: false
        }
    }

    private mutating func move() throws(Failure) -> Path.Move {
        defer { index += 1 }
        switch current {
        case .name(let name):
            if following == .doubleColon { throw unsupported("a named axis") }
            if following == .leftParenthesis { throw unsupported("a test of the type of a node") }
            return .child(name)
        case .star: return .children
        case .dot: return .itself
        case .doubleDot: return .parent
        case .at: throw unsupported("an attribute")
        case .doubleSlash: throw unsupported("the step //")
        default: throw invalid("the name of a step")
        }
    }

    private mutating func predicates(
        of step: inout Path.Step, _ root: Path.Root, _ operands: inout [Term.ID]
    ) throws(Failure) {
        while take(.leftBracket) {
            let condition = try expression(from: 1)
            try expect(.rightBracket, "a closing bracket")
            operands.append(condition)
            var lookup: Path.Lookup?
            if case .instance = root { lookup = self.lookup(condition) }
            step.predicates.append(Path.Predicate(condition: condition, lookup: lookup))
        }
    }

    /// Splits `column = key`, alone or among conditions joined with `and`, where the key does not
    /// depend on the item.
    private func lookup(_ condition: Term.ID) -> Path.Lookup? {
        if case .logical(.and, let conditions) = terms[condition].kind {
            for condition in conditions {
                // Each is looked at once: what looks twice does so at every level of parentheses.
                guard var found = lookup(condition) else { continue }
                found.isWhole = false
                return found
            }
            return nil
        }
        guard case .binary(.equal, let left, let right) = terms[condition].kind else { return nil }
        for (column, key) in [(left, right), (right, left)] {
            guard case .path(let path) = terms[column].kind, path.root == .context,
                path.steps.count == 1, case .child(let name) = path.steps[0].move,
                path.steps[0].predicates.isEmpty
            else { continue }
            switch terms[key].kind {
            case .string: return Path.Lookup(column: name, key: key)
            case .path(let path) where path.root != .context:
                return Path.Lookup(column: name, key: key)
            default: continue
            }
        }
        return nil
    }
}
