/// Functions of texts and of the answers of selects, which are names with spaces between them.
extension Evaluator {
    mutating func textFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        switch function {
        case .selected, .isSelected, .countSelected, .selectedAt:
            return try selectFunction(function, arguments, focus)
        case .uuid: return .string(try uuid(arguments, focus))
        default: break
        }
        let text: [UInt8]
        if let first = arguments.first {
            text = try self.text(first, focus)
        } else {
            text = try self.text(try value(of: focus.node))
        }
        switch function {
        case .string: return .string(text)
        case .stringLength: return .number(Double(text.unitCount))
        case .normalizeSpace:
            try budget.spend(text.count / 2)
            return .string(Array(text.split { $0 <= 0x20 }.joined(separator: [0x20])))
        case .substr:
            try budget.spend(text.count / 16)
            var (start, end) = (try integer(arguments[1], focus), text.unitCount)
            let count = end
            if arguments.count > 2 { end = try integer(arguments[2], focus) }
            if start < 0 { start += count }
            if end < 0 { end += count }
            return .string(text.part(from: start, to: end))
        case .substring: return .string(try substring(text, arguments, focus))
        case .regex:
            let source = try self.text(arguments[1], focus)
            // A short pattern can make a long program.
            try budget.spend(1_500 + source.count)
            guard let pattern = try? Pattern(source) else { throw EvaluationError(.pattern) }
            return .boolean(try pattern.matches(text, budget: &budget))
        default: break
        }
        let other = try self.text(arguments[1], focus)
        switch function {
        case .startsWith: return .boolean(text.starts(with: other))
        case .endsWith: return .boolean(text.hasSuffix(other))
        case .translate:
            return .string(try translated(text, other, try self.text(arguments[2], focus)))
        default: break
        }
        try budget.spend(text.count * other.count / 64)
        let found = text.firstOffset(of: other)
        switch function {
        case .contains: return .boolean(found != nil)
        case .substringBefore: return .string(found.map { Array(text[..<$0]) } ?? [])
        case .substringAfter: return .string(found.map { Array(text[($0 + other.count)...]) } ?? [])
        default: throw EvaluationError(.mismatch)
        }
    }

    /// The characters from position `start`, which counts from 1 (XPath 1.0 §4.2).
    private mutating func substring(
        _ text: [UInt8], _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> [UInt8] {
        let start = (try number(arguments[1], focus) + 0.5).rounded(.down)
        var end = Double.infinity
        if arguments.count > 2 {
            end = start + (try number(arguments[2], focus) + 0.5).rounded(.down)
        }
        try budget.spend(text.count / 2)
        var part: [UInt8] = []
        for (index, character) in text.characters.enumerated()
        where Double(index + 1) >= start && Double(index + 1) < end {
            part += character
        }
        return part
    }

    /// Replaces each character of `from` by the one at its place in `to`, or by nothing.
    private mutating func translated(
        _ text: [UInt8], _ from: [UInt8], _ to: [UInt8]
    ) throws(EvaluationError) -> [UInt8] {
        try budget.spend(text.count + text.count * from.count / 8)
        let replaced = from.characters
        let replacements = to.characters
        var result: [UInt8] = []
        for character in text.characters {
            guard let index = replaced.firstIndex(of: character) else {
                result += character
                continue
            }
            if index < replacements.count { result += replacements[index] }
        }
        guard result.count <= Evaluator.longestText else { throw EvaluationError(.tooLong) }
        return result
    }

    private mutating func selectFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        guard case .string(let answer) = try value(arguments[0], focus) else {
            throw EvaluationError(.mismatch, at: terms[arguments[0]].offset)
        }
        try budget.spend(answer.count / 2)
        switch function {
        case .countSelected: return .number(Double(answer.words.count))
        case .selectedAt:
            let index = try integer(arguments[1], focus)
            let words = answer.words
            return .string(words.indices.contains(index) ? Array(words[index]) : [])
        default:
            guard case .string(let choice) = try value(arguments[1], focus) else {
                throw EvaluationError(.mismatch, at: terms[arguments[1]].offset)
            }
            let space = [UInt8](" ")
            let needle = space + choice.trimmed + space
            try budget.spend(answer.count * needle.count / 64)
            return .boolean((space + answer + space).firstOffset(of: needle) != nil)
        }
    }

    /// A random UUID (RFC 9562 §5.4), or as many random digits and letters as are asked for.
    private mutating func uuid(
        _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> [UInt8] {
        if let first = arguments.first {
            let count = max(0, min(256, try integer(first, focus)))
            try budget.spend(6 * count)
            let letters = [UInt8]("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            return (0..<count).map { _ in letters[Int(context.randomBits() % 36)] }
        }
        try budget.spend(40)
        let letters = [UInt8]("0123456789abcdef")
        let high = context.randomBits() & ~0xF000 | 0x4000
        let low = context.randomBits() & ~(0b11 << 62) | 0b10 << 62
        var text: [UInt8] = []
        for digit in 0..<32 {
            if [8, 12, 16, 20].contains(digit) { text.append(UInt8(ascii: "-")) }
            let bits = digit < 16 ? high : low
            text.append(letters[Int(bits >> UInt64(60 - digit % 16 * 4) & 15)])
        }
        return text
    }
}
