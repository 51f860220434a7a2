internal import Expressions
internal import ShareFormats

/// Repetitions that the form counts.
extension FillState {
    /// Makes as many repetitions as an expression says, and as there is space for. True where there
    /// are others now.
    ///
    /// - Parameter items: repeats of which none counts what lies in another one of them: the nodes are
    ///   made anew once for all.
    func computeCounts(_ items: [Int]) -> Bool {
        var wanted: [(item: Int, node: Int, count: Int)] = []
        var space = tree.space
        for item in items {
            let found = counts(of: item, &space)
            guard !found.isEmpty else { continue }
            rounds[item, default: 0] += 1
            guard rounds[item, default: 0] <= Self.rounds else { continue }
            wanted += found.map { (item, $0.node, $0.count) }
        }
        guard !wanted.isEmpty, budget.steps > 0 else { return false }
        var answers = tree.answers(keepHidden: true)
        for (item, node, count) in wanted { resize(&answers, way(to: node), item, count) }
        let made = EntryTree(questionnaire, answers, isNew: kind != .stored)
        // There are no more nodes to be had.
        guard !made.hasNodes(of: tree) else { return false }
        tree = made
        chargeNodes()
        // They were put together anew, and held against those of before.
        _ = budget.take(made.entries.count * (earlier == nil ? 4 : 12))
        if let earlier { moved = made.moved(since: earlier) }
        forgetFound()
        begin()
        return true
    }

    /// The nodes in which there are to be other numbers of repetitions of a repeat than there are.
    ///
    /// - Parameter space: nodes that can still be made.
    private func counts(of item: Int, _ space: inout Int) -> [(node: Int, count: Int)] {
        guard let rule = questionnaire.items[item].rules.count else { return [] }
        var wanted: [(node: Int, count: Int)] = []
        let own = questionnaire.ownNodes[item]
        for parent in tree.nodes(of: questionnaire.items[item].parent) {
            guard let value = value(of: rule, at: parent) else { continue }
            let number = value.number(in: self)
            var count =
                number.isFinite ? Int(max(0, min(number, Double(FormLimits.repetitions)))) : 0
            // A sum of the first ones would be taken for that of all.
            if number > Double(FormLimits.repetitions) { tree.leaveOut() }
            let present = tree.children(of: parent, item).count
            if count > present + space / own {
                tree.leaveOut()
                count = present + space / own
            }
            space -= max(0, count - present) * own
            if count != present { wanted.append((parent, count)) }
        }
        return wanted
    }

    /// The repeats that are counted at one step and those after it, as far as none counts what lies in
    /// another one of them.
    func countedTogether(from place: Int) -> [Int] {
        var items: [Int] = []
        for place in place..<questionnaire.steps.count {
            let step = questionnaire.steps[place]
            guard step.kind == .count,
                !questionnaire.sources[place].contains(where: { lies($0, in: items) })
            else { break }
            items.append(step.item)
        }
        return items
    }

    private func lies(_ item: Int, in repeats: [Int]) -> Bool {
        var item = item
        while item > 0 {
            if repeats.contains(item) { return true }
            item = questionnaire.items[item].parent
        }
        return false
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
