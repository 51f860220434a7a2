internal import Expressions
internal import ShareFormats

/// Repetitions that the form counts.
extension FillState {
    /// Makes as many repetitions as an expression says. True where there are others now.
    func computeCount(_ item: Int) -> Bool {
        guard let rule = questionnaire.items[item].rules.count else { return false }
        var wanted: [(node: Int, count: Int)] = []
        for parent in tree.nodes(of: questionnaire.items[item].parent) {
            guard let value = value(of: rule, at: parent) else { continue }
            let number = value.number(in: self)
            let count =
                number.isFinite ? Int(max(0, min(number, Double(FormLimits.repetitions)))) : 0
            let present = tree.children(of: parent, item).count
            if count != present { wanted.append((parent, count)) }
        }
        guard !wanted.isEmpty, budget.steps > 0 else { return false }
        rounds[item, default: 0] += 1
        guard rounds[item, default: 0] <= Self.rounds else { return false }
        var answers = tree.answers(keepHidden: true)
        for (node, count) in wanted { resize(&answers, way(to: node), item, count) }
        let made = EntryTree(questionnaire, answers, isNew: kind != .stored)
        // There are no more nodes to be had.
        guard !made.hasNodes(of: tree) else { return false }
        tree = made
        chargeNodes()
        if let earlier { moved = made.moved(since: earlier) }
        unchecked = []
        uncounted = []
        endless = []
        if kind != .stored { begin() }
        return true
    }

    /// An entry whose repeats decide about each other's numbers settles within these.
    private static let rounds = 16

    /// The repetitions around a node, outermost first: which repeat, and the how manieth from 0.
    private func way(to node: Int) -> [(slot: Int, index: Int)] {
        var way: [(slot: Int, index: Int)] = []
        var node = node
        while node > 0 {
            let item = tree.item(of: node)
            if item.isRepeat { way.append((item.slot, tree[node].position - 1)) }
            node = tree[node].parent
        }
        return way.reversed()
    }

    private func resize(
        _ answers: inout Answers, _ way: [(slot: Int, index: Int)], _ item: Int, _ count: Int
    ) {
        guard let (slot, index) = way.first else {
            let slot = questionnaire.items[item].slot
            while answers.repeats.count <= slot { answers.repeats.append([]) }
            let rows = answers.repeats[slot]
            answers.repeats[slot] =
                Array(rows.prefix(count))
                + [Answers](repeating: Answers(), count: max(0, count - rows.count))
            return
        }
        guard answers.repeats.indices.contains(slot), answers.repeats[slot].indices.contains(index)
        else { return }
        resize(&answers.repeats[slot][index], Array(way.dropFirst()), item, count)
    }
}
