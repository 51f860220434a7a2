/// A field, a group or a column of a list that an expression reads.
///
/// When an answer changes, every expression with a reference to it is computed anew, and with a
/// reference to a group or repeat around it as well.
package struct Reference: Equatable, Sendable {
    /// The start of the moves: for a relative path in a predicate that of the path around it.
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

    /// All references below `root`, in the order in which they are written; nil where they have more
    /// than `limit` moves together.
    static func all(in terms: [Term], from root: Term.ID, limit: Int) -> [Reference]? {
        var collection = Collection(terms: terms, movesLeft: limit)
        guard collection.add(root, within: nil) else { return nil }
        return collection.references.sorted { $0.offset < $1.offset }
    }

    /// The references of an expression, as its terms are walked over.
    private struct Collection {
        let terms: [Term]
        /// A path in a predicate has the moves of those around it too, so that the text alone does
        /// not bound them.
        var movesLeft: Int
        var references: [Reference] = []

        /// Adds those of a term and of what it uses.
        ///
        /// - Parameter outer: The path whose predicate this is: relative paths begin at its nodes.
        /// - Returns: False as soon as there are too many moves.
        mutating func add(_ id: Term.ID, within outer: Reference?) -> Bool {
            switch terms[id].kind {
            case .number, .string: return true
            case .negation(let operand), .match(let operand, _):
                return add(operand, within: outer)
            case .binary(_, let left, let right):
                let (first, rest) = terms.chain(at: left)
                return add([first] + rest.map { $0.operand } + [right], within: outer)
            case .logical(_, let operands), .call(_, let operands):
                return add(operands, within: outer)
            case .path(let path):
                return add(path, at: terms[id].offset, within: outer)
            }
        }

        private mutating func add(_ operands: [Term.ID], within outer: Reference?) -> Bool {
            for operand in operands {
                guard add(operand, within: outer) else { return false }
            }
            return true
        }

        private mutating func add(_ path: Path, at offset: Int, within outer: Reference?) -> Bool {
            let base = path.root == .context ? outer : nil
            let root = base?.root ?? path.root
            var moves = base?.moves ?? []
            movesLeft -= moves.count + path.steps.count
            guard movesLeft >= 0 else { return false }
            for step in path.steps {
                moves.append(step.move)
                guard !step.predicates.isEmpty else { continue }
                let here = Reference(root: root, moves: moves, offset: offset)
                guard add(step.predicates.map { $0.condition }, within: here) else { return false }
            }
            references.append(Reference(root: root, moves: moves, offset: offset))
            return true
        }
    }
}
