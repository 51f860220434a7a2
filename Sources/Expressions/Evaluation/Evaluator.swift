/// Computes terms of one expression for one field: the semantics of JavaRosa, the engine of ODK
/// Collect, so that a form means the same here and on a phone.
struct Evaluator {
    /// The node that a relative path starts from.
    struct Focus {
        let node: Node
        /// The position among the nodes that a predicate tests, and their number.
        var position: Int?
        var count: Int?
    }

    /// A value, or the nodes of a path, of which each function makes what it needs.
    enum Operand {
        case value(Value)
        case nodes([Node])
    }

    let terms: [Term]
    let context: any EvaluationContext
    /// The field that the expression belongs to.
    let current: Node
    var budget: Budget

    // MARK: Operands

    mutating func operand(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> Operand {
        try budget.spend()
        let term = terms[id]
        switch term.kind {
        case .number(let number): return .value(.number(number))
        case .string(let text): return .value(.string(text))
        case .path(let path): return .nodes(try nodes(path, focus, at: term.offset))
        case .negation(let operand): return .value(.number(-(try number(operand, focus))))
        case .binary(let operation, let left, let right):
            return .value(try binary(operation, left, right, focus))
        case .logical(let operation, let conditions):
            return .value(.boolean(try logical(operation, conditions, focus)))
        case .match(let operand, let pattern):
            let text = try text(operand, focus)
            return .value(.boolean(try pattern.matches(text, budget: &budget)))
        case .call(let function, let arguments):
            do throws(EvaluationError) {
                return try call(function, arguments, focus)
            } catch {
                throw EvaluationError(error.reason, at: error.offset ?? term.offset)
            }
        }
    }

    /// The one value of a term.
    ///
    /// - Throws: `.repeated` for a path to more than one node; one to none is the empty string.
    mutating func value(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> Value {
        if case .path(let path) = terms[id].kind, let node = direct(path, focus) {
            try budget.spend()
            return context.isRelevant(node) ? try value(of: node) : .empty
        }
        return try single(try operand(id, focus), id)
    }

    /// The answer at a node: a long text is copied, and a date is read.
    mutating func value(of node: Node) throws(EvaluationError) -> Value {
        let value = context.value(of: node)
        switch value {
        case .string(let text): try budget.spend(1 + text.count / 32)
        case .date: try budget.spend(8)
        case .number, .boolean: try budget.spend()
        }
        return value
    }

    /// The node of `.`, and of `${name}` where the caller knows it at once.
    private func direct(_ path: Path, _ focus: Focus) -> Node? {
        switch path.root {
        case .context, .current:
            for step in path.steps {
                guard case .itself = step.move, step.predicates.isEmpty else { return nil }
            }
            return path.root == .current ? current : focus.node
        case .field(let name):
            guard path.steps.isEmpty else { return nil }
            return context.node(ofField: name, seenFrom: focus.node)
        case .document, .instance:
            return nil
        }
    }

    mutating func single(_ operand: Operand, _ id: Term.ID) throws(EvaluationError) -> Value {
        switch operand {
        case .value(let value): return value
        case .nodes(let nodes):
            guard nodes.count <= 1 else {
                throw EvaluationError(.repeated, at: terms[id].offset)
            }
            return try nodes.first.map { node throws(EvaluationError) in try value(of: node) }
                ?? .empty
        }
    }

    mutating func number(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> Double {
        try number(try value(id, focus))
    }

    /// A value as a number: a long text takes its time, and so does the zone of a date.
    mutating func number(_ value: Value) throws(EvaluationError) -> Double {
        switch value {
        case .string(let text): try budget.spend(text.count <= 15 ? 1 : text.count * 6)
        case .date: try budget.spend(5)
        case .number, .boolean: break
        }
        return value.number(in: context)
    }

    mutating func text(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> [UInt8] {
        try text(try value(id, focus))
    }

    /// A value as a text: the digits of a number take their time, most of all of a large or tiny one.
    mutating func text(_ value: Value) throws(EvaluationError) -> [UInt8] {
        switch value {
        case .number(let number):
            let isZero = number.magnitude < Value.tolerance
            try budget.spend(DecimalNumber.steps(of: isZero ? 0 : number))
        case .string(let text): try budget.spend(text.count / 16)
        case .date: try budget.spend(10)
        case .boolean: break
        }
        return value.text(in: context)
    }

    mutating func isTrue(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> Bool {
        try value(id, focus).isTrue
    }

    /// A number as an integer of 32 bits: its fraction cut off, 0 where it is none.
    mutating func integer(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> Int {
        let number = try number(id, focus)
        if number.isNaN { return 0 }
        return Int(max(-2_147_483_648, min(2_147_483_647, number)))
    }

    // MARK: Operators

    private mutating func logical(
        _ operation: LogicalOperator, _ conditions: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Bool {
        let decisive = operation == .or
        for condition in conditions where try isTrue(condition, focus) == decisive {
            return decisive
        }
        return !decisive
    }

    private mutating func binary(
        _ operation: BinaryOperator, _ left: Term.ID, _ right: Term.ID, _ focus: Focus
    ) throws(EvaluationError) -> Value {
        if operation.isArithmetic, terms[left].isArithmetic {
            return try chained(operation, left, right, focus)
        }
        let first = try value(left, focus)
        let second = try value(right, focus)
        switch operation {
        case .equal: return .boolean(try areEqual(first, second))
        case .unequal: return .boolean(try !areEqual(first, second))
        default: break
        }
        let (a, b) = (try number(first), try number(second))
        switch operation {
        case .less: return .boolean(a < b)
        case .lessOrEqual: return .boolean(a <= b)
        case .greater: return .boolean(a > b)
        case .greaterOrEqual: return .boolean(a >= b)
        case .add: return .number(a + b)
        case .subtract: return .number(a - b)
        case .multiply: return .number(a * b)
        case .divide: return .number(a / b)
        case .remainder, .equal, .unequal: return .number(a.truncatingRemainder(dividingBy: b))
        }
    }

    /// `a + b - c`, from the left.
    private mutating func chained(
        _ operation: BinaryOperator, _ left: Term.ID, _ right: Term.ID, _ focus: Focus
    ) throws(EvaluationError) -> Value {
        let (first, rest) = terms.chain(at: left)
        var result = try number(try value(first, focus))
        for (operation, term) in rest + [(operation, right)] {
            try budget.spend()
            let operand = try number(try value(term, focus))
            switch operation {
            case .add: result += operand
            case .subtract: result -= operand
            case .multiply: result *= operand
            case .divide: result /= operand
            default: result = result.truncatingRemainder(dividingBy: operand)
            }
        }
        return .number(result)
    }

    /// Compares as booleans if one is a boolean, else as numbers if one is a number, else as texts.
    private mutating func areEqual(_ a: Value, _ b: Value) throws(EvaluationError) -> Bool {
        switch (a, b) {
        case (.boolean, _), (_, .boolean):
            return a.isTrue == b.isTrue
        case (.number, _), (_, .number):
            return (try number(a) - number(b)).magnitude < Value.tolerance
        default:
            return try text(a) == text(b)
        }
    }
}

extension Expression {
    /// Computes the value for the field or group at `node`.
    ///
    /// - Parameters:
    ///   - current: The field for `current()`, where `node` is an item that is filtered; nil for
    ///     `node` itself.
    ///   - budget: The steps that are left; those that this takes are taken off.
    /// - Throws: `EvaluationError`, if the answers given do not fit the expression.
    package func value(
        at node: Node, current: Node? = nil, in context: any EvaluationContext,
        budget: inout Budget
    ) throws(EvaluationError) -> Value {
        var evaluator = Evaluator(
            terms: terms, context: context, current: current ?? node, budget: budget)
        defer { budget = evaluator.budget }
        return try evaluator.value(root, Evaluator.Focus(node: node))
    }

    /// Finds the nodes that the expression, a path, names; none for an expression of another kind.
    package func nodes(
        at node: Node, in context: any EvaluationContext, budget: inout Budget
    ) throws(EvaluationError) -> [Node] {
        var evaluator = Evaluator(terms: terms, context: context, current: node, budget: budget)
        defer { budget = evaluator.budget }
        switch try evaluator.operand(root, Evaluator.Focus(node: node)) {
        case .nodes(let nodes): return nodes
        case .value: return []
        }
    }
}
