internal import Expressions

/// What is computed of expressions, as far as steps suffice.
extension FillState {
    /// The value of an expression; nil where it cannot be computed.
    func value(of rule: Rule, at node: Int) -> Value? {
        let found = computed(rule, at: node) { budget throws(EvaluationError) in
            try rule.expression.value(at: EntryNode.field(node).handle, in: self, budget: &budget)
        }
        guard found != nil, leftOut else { return found }
        // A sum of some is none.
        uncounted.insert(node)
        unchecked.insert(node)
        return nil
    }

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

    /// Whether a step reads what has other answers than before a change.
    func readsMoved(_ place: Int) -> Bool {
        moved?.contains { questionnaire.dependents[$0].contains(place) } ?? false
    }
}
