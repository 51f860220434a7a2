/// Calls of functions: names, numbers of arguments, patterns of `regex()`.
extension Parser {
    mutating func call(_ name: [UInt8], at offset: Int) throws(Failure) -> Term.ID {
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
                    at: offset, found: name,
                    expected: Parser.count(signature.arguments, given: arguments.count),
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
        guard unsupported == nil else { return .call(function, arguments) }
        let literal = terms[arguments[1]].offset
        do throws(Pattern.Failure) {
            let pattern = try Pattern(text)
            patternSize += pattern.size
            guard patternSize <= 4 * Pattern.largestSize else {
                throw Pattern.Failure(what: [UInt8]("regular expressions so long"), offset: 0)
            }
            return .match(arguments[0], pattern)
        } catch {
            unsupported = Unsupported(error.what, at: literal + 1 + error.offset)
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
        if unsupported == nil {
            let hint = Function.nearest(to: name).map {
                [UInt8]("Did you mean ") + [UInt8]($0.signature.name) + [UInt8]("()?")
            }
            unsupported = Unsupported(
                [UInt8]("the function ") + name + [UInt8]("()"), at: offset, hint: hint)
        }
        // Stands for the call, so that what it reads is found: the tree is not evaluated.
        return try add(.call(.concat, arguments), .any, at: offset, over: arguments)
    }

    private static func count(_ range: ClosedRange<Int>, given: Int) -> [UInt8] {
        var text: [UInt8] = .decimal(range.lowerBound)
        if range.upperBound >= 1_000, given > range.upperBound {
            return [UInt8]("at most ") + .decimal(range.upperBound) + [UInt8](" arguments")
        }
        if range.upperBound >= 1_000 {
            text = [UInt8]("at least ") + text
        } else if range.count > 1 {
            text += [UInt8](range.count == 2 ? " or " : " to ") + .decimal(range.upperBound)
        }
        return text + [UInt8](range == 1...1 ? " argument" : " arguments")
    }
}
