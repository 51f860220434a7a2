/// An expression that was read: a typed tree that can be evaluated, or compiled to something else.
///
/// The terms stand in an order in which operands come before what uses them, so that one loop over
/// `terms` visits the tree from its leaves to its root.
package struct Expression: Sendable {
    /// The tree; an operand has a smaller index than the term that uses it.
    package let terms: [Term]
    /// The fields and lists that it reads, in the order in which they are written.
    package let references: [Reference]

    /// The term that is the whole expression.
    package var root: Term.ID { terms.count - 1 }

    /// The type of the value; `.any` where it depends on answers.
    package var type: ValueType { terms[root].type }

    /// True where the value may change although no answer does: with time, or by chance.
    package var isVolatile: Bool { calls { $0.isVolatile } }

    /// True where chance has a part in the value.
    package var isByChance: Bool { calls { $0.isByChance } }

    private func calls(_ isMeant: (Function) -> Bool) -> Bool {
        terms.contains {
            if case .call(let function, _) = $0.kind { return isMeant(function) }
            return false
        }
    }
}

/// One operator, call, path or literal of an expression.
package struct Term: Sendable {
    /// The position of a term in `Expression.terms`.
    package typealias ID = Int

    /// The closed set of terms.
    package enum Kind: Sendable {
        case number(Double)
        case string([UInt8])
        case path(Path)
        case negation(ID)
        case binary(BinaryOperator, ID, ID)
        /// Two or more conditions, of which the first that decides ends the evaluation.
        case logical(LogicalOperator, [ID])
        case call(Function, [ID])
        /// `regex()` with a literal pattern.
        case match(ID, Pattern)
    }

    /// The term itself, with its operands.
    package let kind: Kind
    /// The type of its value.
    package let type: ValueType
    /// Where it is written, in bytes from the start of the expression: an operator, a name.
    package let offset: Int

    /// Whether it adds, subtracts, multiplies or divides.
    var isArithmetic: Bool {
        if case .binary(let operation, _, _) = kind { operation.isArithmetic } else { false }
    }
}

extension Expression {
    /// Whether it is a path to items of a list that an index of the list finds.
    package var isLookedUp: Bool {
        guard case .path(let path) = terms[root].kind else { return false }
        return path.steps.last?.predicates.first?.lookup != nil
    }
}

extension [Term] {
    /// The operands of `a + b - c` from the left, however many: who called itself for each of them
    /// would have to bound them.
    package func chain(
        at id: Term.ID
    ) -> (first: Term.ID, rest: [(operation: BinaryOperator, operand: Term.ID)]) {
        var first = id
        var rest: [(operation: BinaryOperator, operand: Term.ID)] = []
        while case .binary(let operation, let left, let right) = self[first].kind,
            operation.isArithmetic
        {
            rest.append((operation, right))
            first = left
        }
        return (first, rest.reversed())
    }
}

/// The type that a term has whatever the answers are.
package enum ValueType: Sendable {
    case number, string, boolean, date
    /// Fields or items; where one value is wanted there may be at most one.
    case nodes
    case any
}

/// An operator with a value on each side.
package enum BinaryOperator: Sendable {
    case equal, unequal
    case less, lessOrEqual, greater, greaterOrEqual
    case add, subtract
    case multiply, divide, remainder

    /// Higher binds more tightly; `or` and `and` are 1 and 2.
    var precedence: Int {
        switch self {
        case .equal, .unequal: 3
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 4
        case .add, .subtract: 5
        case .multiply, .divide, .remainder: 6
        }
    }

    var isArithmetic: Bool { precedence > 4 }

    var type: ValueType { precedence <= 4 ? .boolean : .number }
}

/// `and` or `or`, over two or more conditions.
package enum LogicalOperator: Sendable {
    case and, or
}

/// A location path: where it starts, and its steps.
package struct Path: Sendable, Equatable {
    /// The node at which the steps begin.
    package enum Root: Sendable, Equatable {
        /// `/data/...`: the form's own document.
        case document
        /// `.`, `..` or a name: the field, or inside a predicate the item that is tested.
        case context
        /// `current()`: the field, also inside a predicate.
        case current
        /// `${name}`.
        case field([UInt8])
        /// `instance('name')`: a list.
        case instance([UInt8])
    }

    /// The node at which the steps begin.
    package let root: Root
    /// The steps, each from all nodes that the one before has found; none for the root itself.
    package let steps: [Step]

    /// A move from a node to others, and conditions on those.
    package struct Step: Sendable, Equatable {
        /// The direction, and the name where it has one.
        package let move: Move
        /// Conditions on the nodes that the move finds, one after the other.
        package var predicates: [Predicate] = []
    }

    /// The axis and the test of a step.
    package enum Move: Sendable, Equatable {
        case child([UInt8])
        /// `*`.
        case children
        case parent
        /// `.`.
        case itself
    }

    /// A condition in brackets.
    package struct Predicate: Sendable, Equatable {
        /// A number is the position of the node that is meant; everything else is true or false.
        package let condition: Term.ID
        /// Set where the condition holds only if `column = key`, and `key` is the same for all
        /// items: a list with an index then gives the few that have to be looked at.
        package let lookup: Lookup?
    }

    /// A comparison that an index of a list answers.
    package struct Lookup: Sendable, Equatable {
        /// The name of the child of an item.
        package let column: [UInt8]
        /// The term whose value the child has.
        package let key: Term.ID
        /// True where nothing else is asked of an item.
        package var isWhole = true
    }
}
