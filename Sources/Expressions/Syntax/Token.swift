/// A word of an expression, with the place where it stands.
struct Token {
    enum Kind: Equatable {
        case number(Double)
        /// Without its quotes.
        case string([UInt8])
        /// A step of a path or a function, with its prefix: `age`, `jr:choice-name`.
        case name([UInt8])
        /// The field of `${name}`.
        case field([UInt8])
        case binary(BinaryOperator)
        case logical(LogicalOperator)
        case minus
        case slash, doubleSlash, dot, doubleDot, star, at, doubleColon, bar, dollar
        case leftParenthesis, rightParenthesis, leftBracket, rightBracket, comma
        case end
    }

    var kind: Kind
    /// In bytes of the expression.
    var start: Int
    var end: Int

    /// After such a token an operator follows: `*`, `-`, `and`, `or`, `div` and `mod` are some.
    var endsOperand: Bool {
        switch kind {
        case .number, .string, .name, .field, .dot, .doubleDot, .star, .rightParenthesis,
            .rightBracket:
            true
        default:
            false
        }
    }
}
