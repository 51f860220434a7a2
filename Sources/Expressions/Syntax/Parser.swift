/// Reads an expression by precedence climbing over its tokens (XPath 1.0 §3).
struct Parser {
    enum Failure: Error {
        case invalid(SyntaxError)
        /// Nothing after it can be read.
        case unsupported(Unsupported)
    }

    let source: [UInt8]
    private let tokens: [Token]
    var index = 0
    var terms: [Term] = []
    /// Of the tree below each term.
    private var heights: [Int] = []
    private var depth = 0
    /// The first call of a function that is not known; reading goes on for the references.
    var unsupported: Unsupported?
    /// Instructions of all regular expressions so far.
    var patternSize = 0

    static func parse(_ source: [UInt8]) -> ParseResult {
        guard source.count <= ExpressionLimit.length else {
            return .unsupported(
                Unsupported([UInt8]("an expression of more than 32,768 bytes"), at: 0))
        }
        do throws(SyntaxError) {
            var parser = Parser(source: source, tokens: try Lexer.tokens(of: source))
            return parser.parse()
        } catch {
            return .invalid(error)
        }
    }

    private init(source: [UInt8], tokens: [Token]) {
        self.source = source
        self.tokens = tokens
    }

    private mutating func parse() -> ParseResult {
        do throws(Failure) {
            let root = try expression(from: 1)
            guard current == .end else { throw invalid("an operator or the end") }
            guard
                let references = Reference.all(
                    in: terms, from: root, limit: ExpressionLimit.movesPerByte * source.count)
            else { throw unsupported("a condition in so long a path", at: 0) }
            if var unsupported {
                unsupported.references = references
                return .unsupported(unsupported)
            }
            return .expression(Expression(terms: terms, references: references))
        } catch {
            switch error {
            case .invalid(let error): return .invalid(error)
            case .unsupported(let unsupported): return .unsupported(unsupported)
            }
        }
    }

    // MARK: Tokens and terms

    var token: Token { tokens[index] }
    var current: Token.Kind { tokens[index].kind }
    var following: Token.Kind { tokens[min(index + 1, tokens.count - 1)].kind }

    mutating func take(_ kind: Token.Kind) -> Bool {
        guard current == kind else { return false }
        index += 1
        return true
    }

    mutating func expect(_ kind: Token.Kind, _ expected: StaticString) throws(Failure) {
        guard take(kind) else { throw invalid(expected) }
    }

    func invalid(_ expected: StaticString, hint: [UInt8]? = nil) -> Failure {
        .invalid(
            SyntaxError(
                at: token.start, found: Array(source[token.start..<token.end]),
                expected: [UInt8](expected), hint: hint ?? endHint))
    }

    /// The usual slip with the token that stands here.
    private var endHint: [UInt8]? {
        switch current {
        case .end: [UInt8]("Something is missing at the end.")
        case .name(let name) where name.isEqual(to: "AND") || name.isEqual(to: "OR"):
            [UInt8]("Operators are written small: and, or.")
        case .binary(.equal): [UInt8]("Equality is written with one =.")
        default: nil
        }
    }

    func unsupported(_ what: StaticString, at offset: Int? = nil) -> Failure {
        .unsupported(Unsupported([UInt8](what), at: offset ?? token.start))
    }

    mutating func add(
        _ kind: Term.Kind, _ type: ValueType, at offset: Int, over operands: [Term.ID] = []
    ) throws(Failure) -> Term.ID {
        var height = 1
        for operand in operands { height = max(height, heights[operand] + 1) }
        if case .binary(let operation, let left, let right) = kind, operation.isArithmetic,
            terms[left].isArithmetic
        {
            // Who walks over the terms takes a chain, a + b - c, in one loop (`[Term].chain`).
            height = max(heights[left], heights[right] + 1)
        }
        guard height <= ExpressionLimit.depth else { throw tooDeep(offset) }
        terms.append(Term(kind: kind, type: type, offset: offset))
        heights.append(height)
        return terms.count - 1
    }

    func tooDeep(_ offset: Int) -> Failure {
        unsupported("more than 100 levels of nesting", at: offset)
    }

    // MARK: Operators

    mutating func expression(from precedence: Int) throws(Failure) -> Term.ID {
        depth += 1
        defer { depth -= 1 }
        guard depth <= ExpressionLimit.depth else { throw tooDeep(token.start) }
        var left = try unary()
        while true {
            let offset = token.start
            switch current {
            case .binary(let operation) where operation.precedence >= precedence:
                index += 1
                let right = try expression(from: operation.precedence + 1)
                left = try add(
                    .binary(operation, left, right), operation.type, at: offset,
                    over: [left, right])
            case .logical(let operation):
                let own = operation == .or ? 1 : 2
                guard own >= precedence else { return left }
                var conditions = [left]
                while take(.logical(operation)) {
                    conditions.append(try expression(from: own + 1))
                }
                left = try add(
                    .logical(operation, conditions), .boolean, at: offset, over: conditions)
            case .bar:
                throw unsupported("a union of paths")
            default:
                return left
            }
        }
    }

    private mutating func unary() throws(Failure) -> Term.ID {
        let offset = token.start
        var minuses = 0
        while take(.minus) { minuses += 1 }
        var term = try primary()
        guard minuses <= ExpressionLimit.depth else { throw tooDeep(offset) }
        for _ in 0..<minuses {
            term = try add(.negation(term), .number, at: offset, over: [term])
        }
        return term
    }

    private mutating func primary() throws(Failure) -> Term.ID {
        let offset = token.start
        switch current {
        case .number(let number):
            index += 1
            return try add(.number(number), .number, at: offset)
        case .string(let text):
            index += 1
            return try add(.string(text), .string, at: offset)
        case .leftParenthesis:
            index += 1
            let term = try expression(from: 1)
            try expect(.rightParenthesis, "a closing parenthesis")
            if current == .slash || current == .leftBracket {
                throw unsupported("a path that begins with parentheses", at: offset)
            }
            return term
        case .field(let name):
            index += 1
            return try path(from: .field(name), at: offset, isStarted: true)
        case .slash:
            return try path(from: .document, at: offset, isStarted: true)
        case .name(let name) where following == .leftParenthesis:
            return try call(name, at: offset)
        case .name, .dot, .doubleDot, .star, .at, .doubleSlash:
            return try path(from: .context, at: offset, isStarted: false)
        case .dollar:
            throw unsupported("a variable")
        default:
            throw invalid("a value")
        }
    }
}

extension Expression {
    /// Reads an expression: the syntax of XPath 1.0, and `${name}` for a field.
    ///
    /// - Complexity: O(length), in time and memory; no deeper recursion than `ExpressionLimit.depth`.
    package static func parse(_ source: [UInt8]) -> ParseResult {
        Parser.parse(source)
    }
}
