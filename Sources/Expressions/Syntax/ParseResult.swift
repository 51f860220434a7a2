/// The outcome of reading an expression.
package enum ParseResult: Sendable {
    case expression(Expression)
    /// The expression is well formed, but this engine cannot evaluate it: it is kept as it is, and
    /// not checked here.
    case unsupported(Unsupported)
    case invalid(SyntaxError)
}

/// A place at which an expression breaks the grammar.
package struct SyntaxError: Error, Equatable, Sendable {
    /// In bytes from the start of the expression; its length where the expression ends too early.
    package let offset: Int
    /// The text that stands there; empty at the end.
    package let found: [UInt8]
    /// A noun phrase: `a closing parenthesis`.
    package let expected: [UInt8]
    /// A sentence that helps to mend it, if there is one.
    package let hint: [UInt8]?

    init(at offset: Int, found: [UInt8], expected: [UInt8], hint: [UInt8]? = nil) {
        self.offset = offset
        self.found = found
        self.expected = expected
        self.hint = hint
    }
}

/// The first part of an expression that this engine cannot evaluate.
package struct Unsupported: Error, Equatable, Sendable {
    /// A noun phrase: `the function digest()`.
    package let what: [UInt8]
    /// In bytes from the start of the expression.
    package let offset: Int
    /// A sentence that helps, if there is one: a function with nearly the same name.
    package let hint: [UInt8]?
    /// The fields and lists that the expression names all the same, where it could be read.
    package internal(set) var references: [Reference] = []

    init(_ what: [UInt8], at offset: Int, hint: [UInt8]? = nil) {
        self.what = what
        self.offset = offset
        self.hint = hint
    }
}

/// The bounds of one expression, so that a hostile form costs no more than a plain one.
package enum ExpressionLimit {
    /// Bytes of its text; a cell of a spreadsheet holds 32,767 characters.
    package static let length = 32_768
    /// Levels of nesting; real forms stay below 20.
    package static let depth = 100
    /// Moves that its references have together, for each of its bytes. A path alone has one for two
    /// bytes; each path in a condition of another one has those of that one as well.
    package static let movesPerByte = 4
}
