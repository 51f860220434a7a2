/// Reads an expression by precedence climbing over its tokens (XPath 1.0 §3).
struct Parser {
    enum Failure: Error {
        case invalid(SyntaxError)
        /// Nothing after it can be read.
        case unsupported(Unsupported)
    }

    let source: [UInt8]
    var tokens: [Token]
    var index = 0
    var terms: [Term] = []
    /// Of the tree below each term.
    private var heights: [Int] = []
    private var depth = 0
    /// The first call of a function that is not known; reading goes on for the references.
    private var unsupported: Unsupported?

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
            let references = Reference.all(in: terms, from: root)
            if var unsupported {
                unsupported.references = references
                return .unsupported(unsupported)
            }
            return .expression(Expression(source: source, terms: terms, references: references))
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
        guard height <= ExpressionLimit.depth else { throw tooDeep(offset) }
        terms.append(Term(kind: kind, type: type, offset: offset))
        heights.append(height)
        return terms.count - 1
    }

    private func tooDeep(_ offset: Int) -> Failure {
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

    // MARK: Calls

    private mutating func call(_ name: [UInt8], at offset: Int) throws(Failure) -> Term.ID {
        index += 2
        if name.isEqual(to: "current") {
            try expect(.rightParenthesis, "a closing parenthesis")
            return try path(from: .current, at: offset, isStarted: true)
        }
        if name.isEqual(to: "instance") {
            guard case .string(let list) = current else {
                throw unsupported("instance() without the name of a list in quotes")
            }
            index += 1
            try expect(.rightParenthesis, "a closing parenthesis")
            return try path(from: .instance(list), at: offset, isStarted: true)
        }
        let function = Function.named(name)
        var arguments: [Term.ID] = []
        if !take(.rightParenthesis) {
            repeat {
                if function == .choiceName, arguments.count == 1 { unquotePath() }
                let start = token
                let argument = try expression(from: 1)
                if let function, function.wantsPath(at: arguments.count),
                    terms[argument].type != .nodes
                {
                    throw Failure.invalid(
                        SyntaxError(
                            at: start.start, found: Array(source[start.start..<start.end]),
                            expected: [UInt8]("a field"),
                            hint: name + [UInt8]("() takes a field, not a value.")))
                }
                arguments.append(argument)
            } while take(.comma)
            try expect(.rightParenthesis, "a comma or a closing parenthesis")
        }
        if current == .slash || current == .leftBracket {
            throw unsupported("a path that begins with a call", at: offset)
        }
        guard let function else { return try unknown(name, arguments, at: offset) }
        let signature = function.signature
        guard signature.arguments.contains(arguments.count),
            function != .indexedRepeat || arguments.count % 2 == 1
        else {
            throw Failure.invalid(
                SyntaxError(
                    at: offset, found: name, expected: Parser.count(signature.arguments),
                    hint: name + [UInt8]("() has ") + .decimal(arguments.count)
                        + [UInt8](" here.")))
        }
        return try add(
            try kind(function, arguments), type(function, arguments), at: offset, over: arguments)
    }

    private mutating func kind(
        _ function: Function, _ arguments: [Term.ID]
    ) throws(Failure) -> Term.Kind {
        guard function == .regex, case .string(let text) = terms[arguments[1]].kind else {
            return .call(function, arguments)
        }
        do throws(Pattern.Failure) {
            return .match(arguments[0], try Pattern(text))
        } catch {
            let literal = terms[arguments[1]].offset
            unsupported = unsupported ?? Unsupported(error.what, at: literal + 1 + error.offset)
            return .call(function, arguments)
        }
    }

    private func type(_ function: Function, _ arguments: [Term.ID]) -> ValueType {
        switch function {
        case .condition, .coalesce:
            let types = arguments.suffix(2).map { terms[$0].type }
            return types[0] == types[1] && types[0] != .nodes ? types[0] : .any
        default:
            return function.signature.type
        }
    }

    private mutating func unknown(
        _ name: [UInt8], _ arguments: [Term.ID], at offset: Int
    ) throws(Failure) -> Term.ID {
        let hint = Function.nearest(to: name).map {
            [UInt8]("Did you mean ") + [UInt8]($0.signature.name) + [UInt8]("()?")
        }
        unsupported =
            unsupported
            ?? Unsupported([UInt8]("the function ") + name + [UInt8]("()"), at: offset, hint: hint)
        // Stands for the call, so that what it reads is found: the tree is not evaluated.
        return try add(.call(.concat, arguments), .any, at: offset, over: arguments)
    }

    /// The second argument of `jr:choice-name` is a path in quotes; its tokens take its place.
    private mutating func unquotePath() {
        guard case .string(let text) = current, let inner = try? Lexer.tokens(of: text) else {
            return
        }
        let start = token.start + 1
        tokens.replaceSubrange(
            index...index,
            with: inner.dropLast().map {
                Token(kind: $0.kind, start: $0.start + start, end: $0.end + start)
            })
    }

    private static func count(_ range: ClosedRange<Int>) -> [UInt8] {
        var text: [UInt8] = .decimal(range.lowerBound)
        if range.upperBound >= 1_000 {
            text = [UInt8]("at least ") + text
        } else if range.count > 1 {
            text += [UInt8](range.count == 2 ? " or " : " to ") + .decimal(range.upperBound)
        }
        return text + [UInt8](range == 1...1 ? " argument" : " arguments")
    }
}

extension Expression {
    /// Reads an expression: the syntax of XPath 1.0, and `${name}` for a field.
    ///
    /// - Complexity: O(length); no deeper recursion than `ExpressionLimit.depth`.
    package static func parse(_ source: [UInt8]) -> ParseResult {
        Parser.parse(source)
    }
}
