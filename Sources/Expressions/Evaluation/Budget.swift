/// The work that evaluations may still do, so that a hostile form cannot hold its reader.
///
/// One step is a term, a node or a few bytes of text, each under 100 ns: 400,000 steps are less than
/// 50 ms, as `form-bench --hostile` shows. All expressions of an entry have one budget together.
package struct Budget: Sendable {
    /// The steps that are left; negative when there were too few.
    package private(set) var steps: Int

    /// A budget for one entry, or of another size.
    package init(steps: Int = 400_000) {
        self.steps = steps
    }

    /// The steps that one expression may take: however many it wants, the next one has as many.
    package var half: Budget { Budget(steps: steps / 2) }

    /// Takes steps for work beside the expressions.
    ///
    /// - Returns: False where there were too few.
    package mutating func take(_ count: Int) -> Bool {
        steps -= count
        return steps >= 0
    }

    mutating func spend(_ count: Int = 1) throws(EvaluationError) {
        steps -= count
        if steps < 0 { throw EvaluationError(.outOfBudget) }
    }
}

/// A reason for which an expression has no value with these answers.
package struct EvaluationError: Error, Equatable, Sendable {
    /// The closed set of reasons.
    package enum Reason: Equatable, Sendable {
        /// One value is wanted, but the field is repeated.
        case repeated
        /// A value has a type or form that the function does not take.
        case mismatch
        /// `instance()` names a list that does not exist, or `${}` a field.
        case missing
        /// A regular expression that is computed cannot be used.
        case pattern
        /// A text would be longer than 64 KiB.
        case tooLong
        /// The expressions of this entry take too long.
        case outOfBudget
    }

    /// The kind of the failure, from which a message is made.
    package let reason: Reason
    /// The place in the expression, in bytes; nil where the evaluation as a whole ended.
    package internal(set) var offset: Int?

    init(_ reason: Reason, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }
}
