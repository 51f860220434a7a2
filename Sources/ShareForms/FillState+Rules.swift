internal import Expressions
internal import ShareCore

/// What is computed of expressions, as far as steps suffice.
extension FillState {
    /// Whether an expression names an answer that is asked and not stored, and that nobody gives now:
    /// of an entry that is there, or comes from a file, it says nothing then. What there is stays.
    func isUnknown(_ rule: Rule, at node: Int) -> Bool {
        guard kind != .new, !rule.unstored.isEmpty else { return false }
        return rule.unstored.contains { item in
            if let near = tree.near(item, seenFrom: node) { return tree[near].value == .absent }
            return tree.nodes(of: item).contains { tree[$0].value == .absent }
        }
    }

    /// Whether something is said at a node or in it.
    func hasAnswer(_ node: Int) -> Bool {
        tree[node].value != .absent || questionnaire.traits[tree[node].item].isRepeat
            || tree.children(of: node).contains { hasAnswer($0) }
    }

    /// The value of an expression; nil where it cannot be computed.
    func value(of rule: Rule, at node: Int) -> Value? {
        guard !isUnknown(rule, at: node) else { return nil }
        let found = computed(rule, at: node) { budget throws(EvaluationError) in
            try rule.expression.value(at: EntryNode.field(node).handle, in: self, budget: &budget)
        }
        let isCut = tree.isCut && questionnaire.traits[tree[node].item].readsRepeats
        guard found != nil, isCut || leftOut else { return found }
        // A sum of some is none.
        if isCut { unseen.insert(node) } else { uncounted.insert(node) }
        unchecked.insert(node)
        return nil
    }

    /// Steps that each expression takes beside its own.
    private static let ruleSteps = 4

    /// What is computed of an expression within its share of the steps; nil where it cannot be.
    func computed<Result>(
        _ rule: Rule, at node: Int,
        _ compute: (inout Budget) throws(EvaluationError) -> Result
    ) -> Result? {
        asking = tree[node].item
        askingNode = node
        leftOut = false
        guard givenUp.isEmpty || !givenUp.contains(ObjectIdentifier(rule)) else {
            unchecked.insert(node)
            endless.insert(node)
            return nil
        }
        _ = budget.take(Self.ruleSteps)
        var own = budget.half
        let share = own.steps
        defer { _ = budget.take(share - max(0, own.steps)) }
        do throws(EvaluationError) {
            return try compute(&own)
        } catch {
            unchecked.insert(node)
            if error.reason == .outOfBudget {
                endless.insert(node)
                givenUp.insert(ObjectIdentifier(rule))
            }
            return nil
        }
    }

    /// Whether a step reads what has other answers than before a change: near the node, where there
    /// is one such, else anywhere.
    func readsMoved(_ step: Int, _ node: Int) -> Bool {
        hasMoved(questionnaire.sources[step], seenFrom: node)
    }

    private func hasMoved(_ items: [Int], seenFrom node: Int) -> Bool {
        guard !moved.isEmpty else { return false }
        return items.contains { item in
            if let near = tree.near(item, seenFrom: node) { return moved.contains(near) }
            return moved.contains { tree[$0].item == item }
        }
    }

    /// Gives a field the value that the form makes; one that it cannot keep is none, which is told:
    /// nobody is asked for it who could mend it.
    func keep(_ found: Value, of storage: StorageType?, at node: Int) {
        let before = tree[node].value
        tree[node].value = PlainValue.value(found, of: storage, in: self)
        var isLost = false
        if tree[node].value == .absent {
            isLost = PlainValue.isLost(found, in: storage)
        } else if kind != .stored || tree[node].value != before {
            // The value that an entry has stays, be it a choice that is not offered any more.
            isLost = !canKeep(node)
            if isLost { tree[node].value = .absent }
        }
        if isLost {
            unkept[node] = String(decoding: found.text(in: self), as: UTF8.self)
        } else if !unkept.isEmpty {
            unkept[node] = nil
        }
    }

    /// Whether the form alone says what a field has, whatever anybody gives.
    package func isWorkedOut(_ node: Int) -> Bool {
        tree.item(of: node).rules.calculation?.timing.isFormsOwn == true && tree[node].isRelevant
    }

    /// Whether a calculation is to be made now.
    func isDue(_ rule: Rule, _ step: Int, _ node: Int) -> Bool {
        let isEmpty = tree[node].value == .absent
        switch rule.timing {
        case .always: return true
        case .lookup:
            return kind != .stored || tree[node].isAdded
                || earlier != nil && (isEmpty || readsMoved(step, node) || moved.contains(node))
        case .once: return (kind != .stored || tree[node].isAdded) && isEmpty
        case .answers:
            switch kind {
            case .new: return true
            case .imported: return isEmpty
            case .stored: return earlier != nil && (isEmpty || readsMoved(step, node))
            }
        case .trigger(let items):
            if let changed = changedQuestion, items.contains(tree[changed].item) {
                // In another repetition it means another one.
                return tree.near(tree[changed].item, seenFrom: node).map { $0 == changed } ?? true
            }
            guard kind == .stored else {
                return isEmpty
                    && items.contains { item in
                        tree.near(item, seenFrom: node).map { tree[$0].value != .absent } ?? false
                    }
            }
            // What was given beside it stays.
            return !moved.contains(node) && hasMoved(items, seenFrom: node)
        }
    }

    /// The node of the question whose answer has just changed, which is looked for once.
    private var changedQuestion: Int? {
        if let askedNode { return askedNode }
        let found = asked.flatMap { node(at: $0) }
        askedNode = .some(found)
        return found
    }

    /// Whether a default waits for a question that it names and that nobody has answered yet.
    func awaitsAnswers(_ step: Int, _ node: Int) -> Bool {
        // Where nobody is asked, nothing more is answered.
        guard earlier != nil, case .always = clearing else { return false }
        var seen: Set<Int> = []
        return awaitsAnswers(questionnaire.sources[step], node, &seen)
    }

    /// - Parameter seen: what the form works out, of which the questions were looked at.
    private func awaitsAnswers(_ items: [Int], _ node: Int, _ seen: inout Set<Int>) -> Bool {
        for item in items where questionnaire.traits[item].isField {
            guard let near = tree.near(item, seenFrom: node), tree[near].isRelevant else {
                continue
            }
            let step =
                questionnaire.items[item].rules.calculation == nil
                ? nil : questionnaire.steps.firstIndex(of: Step(item: item, kind: .value))
            if let step {
                guard seen.insert(item).inserted,
                    awaitsAnswers(questionnaire.sources[step], near, &seen)
                else { continue }
                return true
            }
            if !questionnaire.traits[item].isReadOnly, tree[near].value == .absent,
                !tree[near].isGiven
            {
                return true
            }
        }
        return false
    }
}
