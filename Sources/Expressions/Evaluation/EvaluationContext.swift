/// A field, group, repetition or item of a list, as a handle of the caller's choosing.
package struct Node: Equatable, Sendable {
    /// The caller's own number; the engine only compares it.
    package let rawValue: UInt64

    /// A handle that the caller can read again.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The work of a look into an index.
package struct LookupCost: Sendable {
    /// Steps before anything is found.
    package let steps: Int
    /// Eighths of a step for each node that is found.
    package let eighths: Int

    /// That of an index in memory, or another one.
    package init(steps: Int = 8, eighths: Int = 1) {
        self.steps = steps
        self.eighths = eighths
    }
}

/// The answers, lists, clock and chance that an expression sees.
///
/// The form is a tree: a root, in it groups, repetitions of repeats and fields; a list is a root
/// with items, in them columns. The engine keeps nothing between two calls.
package protocol EvaluationContext: Zone {
    /// The node above the outermost element, where absolute paths begin.
    ///
    /// - Parameter instance: The name of a list; nil for the form.
    /// - Returns: Nil if there is no such list.
    func document(_ instance: [UInt8]?) -> Node?
    /// Nil for a document.
    func parent(of node: Node) -> Node?
    /// Empty for a document.
    func name(of node: Node) -> [UInt8]
    /// The position among the children of its parent with the same name; the first is 1.
    func position(of node: Node) -> Int
    /// True for one repetition of a repeat.
    func isRepetition(_ node: Node) -> Bool
    /// The children in order, also those that are not relevant; of any name where `name` is nil.
    func children(of node: Node, named name: [UInt8]?) -> [Node]
    /// How many these are, or more, told without making them: the engine takes steps for them before
    /// it asks for them.
    func count(of node: Node, named name: [UInt8]?) -> Int
    /// The children whose child `column` has exactly the value `text`, in order; no such child and
    /// an empty one are the same.
    ///
    /// - Parameter limit: No more are looked for.
    /// - Returns: Nil where there is no index; the engine then looks at all of them.
    func children(
        of node: Node, named name: [UInt8], where column: [UInt8], equals text: [UInt8],
        limit: Int
    ) -> [Node]?
    /// What such a look into an index takes.
    func lookupCost(of node: Node, where column: [UInt8]) -> LookupCost
    /// Steps that it takes to look into a node, beside those of the engine.
    func cost(of node: Node) -> Int
    /// False for a node that a condition hides, or that stands in one that is hidden.
    func isRelevant(_ node: Node) -> Bool
    /// The answer; for the field whose constraint is checked, the new one.
    func value(of node: Node) -> Value
    /// The names from the form's root down to the field or group that `${name}` stands for.
    func path(ofField name: [UInt8]) -> [[UInt8]]?
    /// The short way for most fields: the one node that `${name}` stands for, where no repeat is
    /// around the field, or `node` stands in the same repetitions as it.
    ///
    /// - Returns: Nil in all other cases; the engine then goes along `path(ofField:)`.
    func node(ofField name: [UInt8], seenFrom node: Node) -> Node?
    /// The label of a choice of the select at `path`, in the language in use.
    func label(ofChoice value: [UInt8], inFieldAt path: [[UInt8]]) -> [UInt8]?

    /// The instant of `now()` and of the day of `today()`.
    var now: Moment { get }
    /// 64 random bits, for `random()` and `uuid()`.
    func randomBits() -> UInt64
    /// `property()`: a name of the device or its user.
    func property(_ name: [UInt8]) -> [UInt8]?
    /// The version of the form.
    var version: [UInt8] { get }
    /// A transcendental function, to the precision of the platform.
    func compute(_ function: MathFunction, _ x: Double, _ y: Double) -> Double
}

/// The functions that the standard library of Swift does not have.
package enum MathFunction: Sendable {
    case exp, log, log10, sin, cos, tan, asin, acos, atan
    /// `atan2(x, y)`: the angle of the point with ordinate `x` and abscissa `y`.
    case atan2
    /// `x` to the power of `y`.
    case pow
}

/// A context without an index, short ways, labels and properties.
extension EvaluationContext {
    package func children(
        of node: Node, named name: [UInt8], where column: [UInt8], equals text: [UInt8],
        limit: Int
    ) -> [Node]? { nil }
    package func lookupCost(of node: Node, where column: [UInt8]) -> LookupCost { LookupCost() }
    package func cost(of node: Node) -> Int { 0 }
    package func node(ofField name: [UInt8], seenFrom node: Node) -> Node? { nil }
    package func label(ofChoice value: [UInt8], inFieldAt path: [[UInt8]]) -> [UInt8]? { nil }
    package func property(_ name: [UInt8]) -> [UInt8]? { nil }
    package var version: [UInt8] { [] }
}
