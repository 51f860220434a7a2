/// A regular expression that is matched in linear time, whatever it is: all ways through it are
/// followed at once (Thompson 1968; Cox 2007, "Regular Expression Matching Can Be Simple And
/// Fast").
package struct Pattern: Sendable {
    /// A construct that this engine does not have, or that is wrong.
    package struct Failure: Error, Equatable {
        /// A noun phrase: `a backreference in a regular expression`.
        package let what: [UInt8]
        /// In bytes from the start of the pattern.
        package let offset: Int
    }

    enum Assertion {
        /// Before the first character.
        case start
        /// After the last character, or before a line feed that is the last one.
        case end
        case veryEnd
        /// Between a word character and another one.
        case boundary
        case noBoundary
    }

    private enum Instruction {
        case character(CharacterClass)
        case ascii(UInt8)
        case assertion(Assertion)
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private var program: [Instruction] = []

    /// No repetition is counted further.
    static let largestCount = 1_000
    /// No program is longer: `{500}` stands in it 500 times.
    static let largestSize = 4_000
    /// Instructions: the memory that it takes, and with the text the time.
    var size: Int { program.count }

    /// Compiles a pattern.
    ///
    /// - Throws: `Failure` for what is wrong, and for what cannot be matched in linear time.
    package init(_ source: [UInt8]) throws(Failure) {
        var parser = PatternParser(source)
        try emit(try parser.parse())
        program.append(.match)
    }

    // MARK: Compiling

    private mutating func append(_ instruction: Instruction) throws(Failure) {
        guard program.count < Pattern.largestSize else {
            throw Failure(what: [UInt8]("a regular expression that is too long"), offset: 0)
        }
        program.append(instruction)
    }

    private mutating func emit(_ syntax: PatternSyntax) throws(Failure) {
        switch syntax {
        case .character(let set):
            if !set.isNegated, !set.ignoresCase, set.categories.isEmpty, set.ranges.count == 1,
                set.ranges[0].count == 1, let ascii = UInt8(exactly: set.ranges[0].lowerBound),
                ascii < 0x80
            {
                try append(.ascii(ascii))
            } else {
                try append(.character(set))
            }
        case .assertion(let assertion):
            try append(.assertion(assertion))
        case .sequence(let parts):
            for part in parts { try emit(part) }
        case .choice(let branches):
            var ends: [Int] = []
            for branch in branches.dropLast() {
                let split = program.count
                try append(.jump(0))
                try emit(branch)
                ends.append(program.count)
                try append(.jump(0))
                program[split] = .split(split + 1, program.count)
            }
            if let last = branches.last { try emit(last) }
            for end in ends { program[end] = .jump(program.count) }
        case .repeated(let body, let least, let most):
            for _ in 0..<least {
                let start = program.count
                try emit(body)
                // Repeating nothing is nothing: `((){1000}){1000}` must not take a million rounds.
                if program.count == start { break }
            }
            try emitOptional(body, count: most.map { $0 - least })
        }
    }

    /// - Parameter count: Nil for any number.
    private mutating func emitOptional(_ body: PatternSyntax, count: Int?) throws(Failure) {
        guard let count else {
            let split = program.count
            try append(.jump(0))
            try emit(body)
            try append(.jump(split))
            program[split] = .split(split + 1, program.count)
            return
        }
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(program.count)
            try append(.jump(0))
            try emit(body)
        }
        for split in splits { program[split] = .split(split + 1, program.count) }
    }

    // MARK: Matching

    /// Matches the whole of `text`.
    ///
    /// - Complexity: O(text × pattern), taken from the budget: an instruction that is visited is a
    ///   sixteenth of a step, whether it waits for a character or only leads on.
    package func matches(_ text: [UInt8], budget: inout Budget) throws(EvaluationError) -> Bool {
        try budget.spend(1 + program.count / 16)
        var threads = Threads(program.count)
        var next = Threads(program.count)
        var offset = 0
        var previous: UInt32?
        follow(0, into: &threads, at: offset, previous, in: text)
        while offset < text.count, !threads.list.isEmpty {
            try budget.spend(1 + threads.list.count / 2 + threads.work / 16)
            let (scalar, end) = UTF8Text.scalar(in: text, at: offset)
            next.removeAll()
            for thread in threads.list {
                let isHit: Bool
                switch program[thread] {
                case .ascii(let ascii): isHit = scalar == UInt32(ascii)
                case .character(let set): isHit = set.contains(scalar)
                default: isHit = false
                }
                if isHit { follow(thread + 1, into: &next, at: end, scalar, in: text) }
            }
            (threads, next) = (next, threads)
            (offset, previous) = (end, scalar)
        }
        return offset == text.count && threads.isMatch
    }

    /// The instructions that wait for a character, each once.
    private struct Threads {
        var list: [Int] = []
        var isMatch = false
        /// The number of the step in which an instruction was last reached.
        var seen: [UInt32]
        var step: UInt32 = 1
        /// Instructions that were visited in this step, and what the classes among them compare.
        var work = 0
        var pending: [Int] = []

        init(_ count: Int) {
            seen = [UInt32](repeating: 0, count: count)
        }

        mutating func removeAll() {
            list.removeAll(keepingCapacity: true)
            isMatch = false
            step += 1
            work = 0
        }
    }

    /// Goes on to all instructions that are reached without a character.
    private func follow(
        _ start: Int, into threads: inout Threads, at offset: Int, _ previous: UInt32?,
        in text: [UInt8]
    ) {
        threads.pending.append(start)
        while let index = threads.pending.popLast() {
            threads.work += 1
            guard threads.seen[index] != threads.step else { continue }
            threads.seen[index] = threads.step
            switch program[index] {
            case .ascii: threads.list.append(index)
            case .character(let set):
                threads.work += set.size
                threads.list.append(index)
            case .match: threads.isMatch = true
            case .jump(let target): threads.pending.append(target)
            case .split(let first, let second):
                threads.pending.append(second)
                threads.pending.append(first)
            case .assertion(let assertion):
                if holds(assertion, at: offset, previous, in: text) {
                    threads.pending.append(index + 1)
                }
            }
        }
    }

    private func holds(
        _ assertion: Assertion, at offset: Int, _ previous: UInt32?, in text: [UInt8]
    ) -> Bool {
        switch assertion {
        case .start: return offset == 0
        case .veryEnd: return offset == text.count
        case .end:
            return offset == text.count
                || offset == text.count - 1 && text[offset] == UInt8(ascii: "\n")
        case .boundary, .noBoundary:
            let before = previous.map { CharacterClass.word.contains($0) } ?? false
            let after =
                offset < text.count
                && CharacterClass.word.contains(UTF8Text.scalar(in: text, at: offset).value)
            return (before != after) == (assertion == .boundary)
        }
    }
}
