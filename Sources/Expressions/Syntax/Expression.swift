/// An expression that was read: a typed tree that can be evaluated, or compiled to something else.
///
/// The terms stand in an order in which operands come before what uses them, so that one loop over
/// `terms` visits the tree from its leaves to its root.
package struct Expression: Sendable {
    /// The text, as it was written.
    package let source: [UInt8]
    package let terms: [Term]
    /// The fields and lists that it reads, in the order in which they are written.
    package let references: [Reference]

    /// The term that is the whole expression.
    package var root: Term.ID { terms.count - 1 }

    /// The type of the value; `.any` where it depends on answers.
    package var type: ValueType { terms[root].type }

    /// True where the value may change although no answer does: with time, or by chance.
    package var isVolatile: Bool {
        terms.contains {
            if case .call(let function, _) = $0.kind { return function.isVolatile }
            return false
        }
    }
}

/// One operator, call, path or literal of an expression.
package struct Term: Sendable {
    /// The position of a term in `Expression.terms`.
    package typealias ID = Int

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

    package let kind: Kind
    package let type: ValueType
    /// Where it is written, in bytes from the start of the expression: an operator, a name.
    package let offset: Int
}

/// The type that a term has whatever the answers are.
package enum ValueType: Sendable {
    case number, string, boolean, date
    /// Fields or items; where one value is wanted there may be at most one.
    case nodes
    case any
}

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

    var type: ValueType { precedence <= 4 ? .boolean : .number }
}

package enum LogicalOperator: Sendable {
    case and, or
}

/// A location path: where it starts, and its steps.
package struct Path: Sendable, Equatable {
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

    package let root: Root
    package let steps: [Step]

    package struct Step: Sendable, Equatable {
        package let move: Move
        /// Conditions on the nodes that the move finds, one after the other.
        package var predicates: [Predicate] = []
    }

    package enum Move: Sendable, Equatable {
        case child([UInt8])
        /// `*`.
        case children
        case parent
        /// `.`.
        case itself
    }

    package struct Predicate: Sendable, Equatable {
        package let condition: Term.ID
        /// Set where the condition holds only if `column = key`, and `key` is the same for all
        /// items: a list with an index then gives the few that have to be looked at.
        package let lookup: Lookup?
    }

    package struct Lookup: Sendable, Equatable {
        package let column: [UInt8]
        package let key: Term.ID
    }
}
