/// A field, a group or a column of a list that an expression reads.
///
/// When an answer changes, every expression with a reference to it is computed anew, and with a
/// reference to a group or repeat around it as well.
package struct Reference: Equatable, Sendable {
    /// The start of the moves; never `.context` for a path in a predicate of another path.
    package let root: Path.Root
    /// The moves from the root; those of the path before it too, where it stands in a predicate.
    package let moves: [Path.Move]
    /// Where it is written, in bytes from the start of the expression.
    package let offset: Int

    /// True for a path from the root, a named field or a list; false for one that starts at the field of
    /// the expression.
    package var isNamed: Bool {
        switch root {
        case .context, .current: false
        case .document, .field, .instance: true
        }
    }

    /// The names from the root of a document down to what is referred to.
    package struct Target: Equatable, Sendable {
        /// The list; nil for the form itself.
        package let instance: [UInt8]?
        /// `*` for a step that takes every name.
        package let names: [[UInt8]]
    }

    /// Resolves the reference for an expression of the field at `field`.
    ///
    /// - Parameters:
    ///   - field: The names from the form's root down to the field.
    ///   - pathOfField: The same for the field of `${name}`; nil where there is none.
    /// - Returns: Nil for an unknown field, and for steps above the root.
    package func target(
        from field: [[UInt8]], pathOfField: ([UInt8]) -> [[UInt8]]?
    ) -> Target? {
        var names: [[UInt8]]
        var instance: [UInt8]?
        switch root {
        case .document:
            names = []
        case .context, .current:
            names = field
        case .field(let name):
            guard let path = pathOfField(name) else { return nil }
            names = path
        case .instance(let name):
            names = []
            instance = name
        }
        for move in moves {
            switch move {
            case .child(let name): names.append(name)
            case .children: names.append([UInt8]("*"))
            case .itself: break
            case .parent:
                guard names.popLast() != nil else { return nil }
            }
        }
        return Target(instance: instance, names: names)
    }

    /// All references below `root`, in the order in which they are written.
    static func all(in terms: [Term], from root: Term.ID) -> [Reference] {
        var references: [Reference] = []
        collect(root, in: terms, within: nil, into: &references)
        references.sort { $0.offset < $1.offset }
        return references
    }

    /// - Parameter outer: The path whose predicate this is: relative paths begin at its nodes.
    private static func collect(
        _ id: Term.ID, in terms: [Term], within outer: Reference?,
        into references: inout [Reference]
    ) {
        let term = terms[id]
        switch term.kind {
        case .number, .string: break
        case .negation(let operand), .match(let operand, _):
            collect(operand, in: terms, within: outer, into: &references)
        case .binary(_, let left, let right):
            let (first, rest) = terms.chain(at: left)
            for operand in [first] + rest.map({ $0.operand }) {
                collect(operand, in: terms, within: outer, into: &references)
            }
            collect(right, in: terms, within: outer, into: &references)
        case .logical(_, let operands), .call(_, let operands):
            for operand in operands {
                collect(operand, in: terms, within: outer, into: &references)
            }
        case .path(let path):
            let base = path.root == .context ? outer : nil
            let root = base?.root ?? path.root
            var moves = base?.moves ?? []
            for step in path.steps {
                moves.append(step.move)
                let here = Reference(root: root, moves: moves, offset: term.offset)
                for predicate in step.predicates {
                    collect(predicate.condition, in: terms, within: here, into: &references)
                }
            }
            references.append(Reference(root: root, moves: moves, offset: term.offset))
        }
    }
}
