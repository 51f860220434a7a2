/// Paths. An absolute path that goes along the ancestors of the field stays in the same
/// repetitions: from `/data/visit[2]/age`, `/data/visit/name` is the name in the second visit.
extension Evaluator {
    /// An element above the field, or the field.
    private struct Ancestor {
        let node: Node
        let name: [UInt8]
        let position: Int
    }

    /// The relevant nodes of a path, in order.
    mutating func nodes(
        _ path: Path, _ focus: Focus, at offset: Int
    ) throws(EvaluationError) -> [Node] {
        try allNodes(path, focus, at: offset).filter { context.isRelevant($0) }
    }

    /// The nodes of a path, in order, also those that are not relevant.
    mutating func allNodes(
        _ path: Path, _ focus: Focus, at offset: Int
    ) throws(EvaluationError) -> [Node] {
        var steps = path.steps[...]
        var nodes: [Node]
        switch path.root {
        case .context: nodes = [focus.node]
        case .current: nodes = [current]
        case .instance(let name):
            guard let document = context.document(name) else {
                throw EvaluationError(.missing, at: offset)
            }
            nodes = [document]
        case .document:
            nodes = try absolute(steps, focus, at: offset)
            steps = []
        case .field(let name):
            guard let names = context.path(ofField: name), !names.isEmpty else {
                throw EvaluationError(.missing, at: offset)
            }
            var start = names.map { Path.Step(move: .child($0)) }
            if let first = steps.first, first.move == .itself, let last = start.last {
                start[start.count - 1] = Path.Step(move: last.move, predicates: first.predicates)
                steps.removeFirst()
            }
            nodes = try absolute(start[...] + steps, focus, fieldLevel: names.count - 1, at: offset)
            steps = []
        }
        for step in steps { nodes = try take(step, from: nodes) }
        try budget.spend(nodes.count / 2)
        return nodes
    }

    /// True for the node itself and for those that it lies in.
    func isAround(_ outer: Node, _ node: Node) -> Bool {
        var inner: Node? = node
        while let one = inner {
            if one == outer { return true }
            inner = context.parent(of: one)
        }
        return false
    }

    /// Goes down from the document, along the ancestors of the field as far as the names agree.
    ///
    /// - Parameter fieldLevel: For `${name}` the index of the step to the field. From inside a
    ///   repeat in a repeat, the name of the inner one stands for all its repetitions there, and
    ///   the name of an outermost one for the repetition around the field: so pyxform converts forms.
    private mutating func absolute(
        _ steps: ArraySlice<Path.Step>, _ focus: Focus, fieldLevel: Int? = nil, at offset: Int
    ) throws(EvaluationError) -> [Node] {
        guard let document = context.document(nil) else {
            throw EvaluationError(.missing, at: offset)
        }
        var ancestors = ancestors(of: focus.node, below: document)
        if ancestors.isEmpty, focus.node != document, focus.node != current {
            ancestors = self.ancestors(of: current, below: document)
        }
        var nodes = [document]
        if let fieldLevel, fieldLevel + 1 < ancestors.count,
            ancestors.prefix(fieldLevel).contains(where: { context.isRepetition($0.node) })
        {
            ancestors.removeSubrange(fieldLevel...)
        }
        var isAligned = true
        for (level, step) in steps.enumerated() {
            guard isAligned, level < ancestors.count, case .child(let name) = step.move,
                name == ancestors[level].name
            else {
                isAligned = false
                nodes = try take(step, from: nodes)
                continue
            }
            if step.predicates.isEmpty {
                try budget.spend(nodes.count)
                nodes = try child(ancestors[level], of: nodes)
            } else {
                nodes = try take(step, from: nodes)
            }
        }
        return nodes
    }

    /// The children of `nodes` in the repetition that the field stands in.
    private mutating func child(
        _ ancestor: Ancestor, of nodes: [Node]
    ) throws(EvaluationError) -> [Node] {
        if nodes.count == 1, context.parent(of: ancestor.node) == nodes[0] {
            return [ancestor.node]
        }
        var found: [Node] = []
        for node in nodes {
            let children = try children(of: node, named: ancestor.name)
            if children.indices.contains(ancestor.position - 1) {
                found.append(children[ancestor.position - 1])
            }
        }
        return found
    }

    /// The children of a node. Steps are taken before these are made: of a list of 100,000 rows that
    /// alone is work.
    mutating func children(
        of node: Node, named name: [UInt8]?
    ) throws(EvaluationError) -> [Node] {
        try budget.spend(context.count(of: node, named: name) / 8)
        return context.children(of: node, named: name)
    }

    /// From the root down to `node`; empty where it stands in another document.
    private func ancestors(of node: Node, below document: Node) -> [Ancestor] {
        var ancestors: [Ancestor] = []
        var next: Node? = node
        while let node = next, node != document {
            ancestors.append(
                Ancestor(
                    node: node, name: context.name(of: node), position: context.position(of: node)))
            next = context.parent(of: node)
        }
        return next == document ? ancestors.reversed() : []
    }

    private mutating func take(
        _ step: Path.Step, from nodes: [Node]
    ) throws(EvaluationError) -> [Node] {
        var found: [Node] = []
        for node in nodes {
            try budget.spend(2 + context.cost(of: node))
            var reached: [Node]
            var conditions = step.predicates[...]
            switch step.move {
            case .itself: reached = [node]
            case .parent:
                // Nodes stand in their order, so those of one parent one after the other.
                guard let parent = context.parent(of: node), found.last != parent else { continue }
                reached = [parent]
            case .children: reached = try children(of: node, named: nil)
            case .child(let name):
                if let lookup = step.predicates.first?.lookup,
                    let indexed = try children(of: node, named: name, lookup)
                {
                    reached = indexed
                    if lookup.isWhole { conditions.removeFirst() }
                } else {
                    reached = try children(of: node, named: name)
                }
            }
            for predicate in conditions { reached = try filter(reached, predicate.condition) }
            if nodes.count == 1 { return reached }
            found += reached
        }
        return found
    }

    /// Nil where the items are not found by their index.
    private mutating func children(
        of node: Node, named name: [UInt8], _ lookup: Path.Lookup
    ) throws(EvaluationError) -> [Node]? {
        guard case .string(let key) = try value(lookup.key, Focus(node: current)) else {
            return nil
        }
        let cost = context.lookupCost(of: node, where: lookup.column)
        try budget.spend(cost.steps)
        // No more than there are steps for, and one, which is one too many.
        let found = context.children(
            of: node, named: name, where: lookup.column, equals: key,
            limit: budget.steps * 8 / cost.eighths + 1)
        try budget.spend(((found?.count ?? 0) * cost.eighths + 7) / 8)
        return found
    }

    /// The nodes for which the condition is true, or finds a node; a number is the position of the
    /// one that is meant.
    private mutating func filter(
        _ nodes: [Node], _ condition: Term.ID
    ) throws(EvaluationError) -> [Node] {
        var passed: [Node] = []
        for (index, node) in nodes.enumerated() {
            try budget.spend(2)
            let focus = Focus(node: node, position: index + 1, count: nodes.count)
            let isMeant =
                switch try operand(condition, focus) {
                case .nodes(let found): !found.isEmpty
                case .value(.number(let position)): position == Double(index + 1)
                case .value(let value): value.isTrue
                }
            if isMeant { passed.append(node) }
        }
        return passed
    }

    // MARK: Names of paths

    /// The names from the form's root down to what a path names, without conditions.
    func names(_ path: Path, _ focus: Focus) -> [[UInt8]]? {
        guard let document = context.document(nil) else { return nil }
        let start = path.root == .current ? current : focus.node
        let names = ancestors(of: start, below: document).map { $0.name }
        let reference = Reference(root: path.root, moves: path.steps.map { $0.move }, offset: 0)
        return reference.target(from: names) { context.path(ofField: $0) }?.names
    }

    /// `indexed-repeat()`: the nodes at `target` in the given repetitions of the groups.
    mutating func indexed(
        _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> [Node] {
        guard let document = context.document(nil), case .path(let path) = terms[arguments[0]].kind,
            let target = names(path, focus)
        else { throw EvaluationError(.mismatch) }
        var positions = [Int?](repeating: nil, count: target.count)
        for (level, ancestor) in ancestors(of: focus.node, below: document).enumerated() {
            guard level < target.count, target[level] == ancestor.name else { break }
            positions[level] = ancestor.position
        }
        for pair in stride(from: 1, to: arguments.count, by: 2) {
            guard case .path(let path) = terms[arguments[pair]].kind,
                let group = names(path, focus), !group.isEmpty, group.count < target.count,
                target.starts(with: group)
            else { throw EvaluationError(.mismatch, at: terms[arguments[pair]].offset) }
            positions[group.count - 1] = max(1, try integer(arguments[pair + 1], focus))
        }
        var nodes = [document]
        for (name, position) in zip(target, positions) {
            var reached: [Node] = []
            for node in nodes {
                try budget.spend()
                let children = try children(of: node, named: name)
                if let position {
                    if children.indices.contains(position - 1) {
                        reached.append(children[position - 1])
                    }
                } else {
                    reached += children
                }
            }
            nodes = reached
        }
        return nodes.filter { context.isRelevant($0) }
    }
}
