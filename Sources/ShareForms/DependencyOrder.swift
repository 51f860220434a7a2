import Expressions
import JSON

/// The order in which the parts of a form's logic are computed: relevance before value, and
/// nothing before what it depends on. What depends on itself, in a circle or by an answer in it, is
/// left out.
struct DependencyOrder {
    private(set) var steps: [Step] = []
    private(set) var dependents: [[Int]] = []
    private(set) var findings: [FindingList.Ordered] = []
    /// Items whose condition is left out: nobody could ever make it true.
    private(set) var alwaysAsked: Set<Int> = []

    private let compiler: QuestionnaireCompiler
    private var all: [Step] = []
    private var positions: [Step: Int] = [:]
    /// For each of `all` the items that it reads.
    private var reads: [[Int]] = []

    init(_ compiler: QuestionnaireCompiler) {
        self.compiler = compiler
        for item in compiler.items.indices {
            collect(item)
            tellOwnAnswer(item)
        }
        var (after, selves) = successors()
        for step in selves.sorted() { tell([step]) }
        let sound = Set(all.indices).subtracting(selves)
        after = after.map { $0.subtracting(selves) }
        for step in selves { after[step] = [] }
        var order = sorted(after, sound)
        var left = selves
        if order.count < sound.count {
            let circles = Circles(among: sound.subtracting(order), after: after).found
            for circle in circles { tell(circle) }
            let inCircles = circles.reduce(into: Set<Int>()) { $0.formUnion($1) }
            after = after.map { $0.subtracting(inCircles) }
            order = sorted(after, sound.subtracting(inCircles))
            left.formUnion(inCircles)
        }
        alwaysAsked = Set(left.map { all[$0] }.filter { $0.kind == .relevance }.map(\.item))
        var ranks = [Int?](repeating: nil, count: all.count)
        for (rank, step) in order.enumerated() { ranks[step] = rank }
        steps = order.map { all[$0] }
        dependents = [[Int]](repeating: [], count: compiler.items.count)
        for step in order {
            guard let rank = ranks[step] else { continue }
            for item in Set(reads[step]) { dependents[item].append(rank) }
        }
        // A field that becomes relevant has to be computed itself.
        for (rank, step) in steps.enumerated() where step.kind != .relevance {
            dependents[step.item].append(rank)
        }
        for item in dependents.indices {
            dependents[item] = Array(Set(dependents[item])).sorted()
        }
    }

    private mutating func collect(_ item: Int) {
        let rules = compiler.items[item].rules
        add(Step(item: item, kind: .relevance), [rules.relevant])
        add(Step(item: item, kind: .count), [rules.count])
        add(Step(item: item, kind: .value), [rules.calculation, rules.initial, rules.choices])
    }

    private mutating func add(_ step: Step, _ rules: [Rule?]) {
        guard rules.contains(where: { $0 != nil }) else { return }
        var read: Set<Int> = []
        for rule in rules {
            for reference in rule?.expression.references ?? [] {
                read.formUnion(compiler.targets(of: reference, at: step.item) ?? [])
            }
        }
        positions[step] = all.count
        all.append(step)
        reads.append(Array(read))
    }

    /// For each step those that come after it; and the conditions that an answer in what they hide
    /// decides.
    private func successors() -> (after: [Set<Int>], selves: Set<Int>) {
        var after = [Set<Int>](repeating: [], count: all.count)
        var selves: Set<Int> = []
        for (position, step) in all.enumerated() {
            var before: Set<Int> = []
            for item in reads[position] {
                if let value = positions[Step(item: item, kind: .value)] { before.insert(value) }
                insertShape(of: item, into: &before)
            }
            if step.kind == .relevance, reads[position].contains(where: { lies($0, in: step.item) })
            {
                selves.insert(position)
            }
            if step.kind != .relevance { insertShape(of: step.item, into: &before) }
            for earlier in before where earlier != position { after[earlier].insert(position) }
        }
        return (after, selves)
    }

    /// Whether a question is the item, or lies in it; where it is a group or repeat, its place and
    /// number are no answers.
    private func lies(_ item: Int, in outer: Int) -> Bool {
        if item == outer { return !compiler.items[outer].isContainer }
        var item = compiler.items[item].parent
        while item > outer { item = compiler.items[item].parent }
        return item == outer
    }

    /// The steps that decide whether, and how often, an item is there.
    private func insertShape(of item: Int, into before: inout Set<Int>) {
        var item = item
        while item >= 0 {
            for kind in [Step.Kind.relevance, .count] {
                if let position = positions[Step(item: item, kind: kind)] {
                    before.insert(position)
                }
            }
            item = compiler.items[item].parent
        }
    }

    /// The steps that can be put in order, in the order of the form where they are free.
    private func sorted(_ after: [Set<Int>], _ chosen: Set<Int>) -> [Int] {
        var waiting = [Int](repeating: 0, count: all.count)
        for step in chosen { for next in after[step] { waiting[next] += 1 } }
        var ready = chosen.filter { waiting[$0] == 0 }.sorted(by: >)
        var order: [Int] = []
        while let step = ready.popLast() {
            order.append(step)
            let next = after[step].sorted(by: >).filter { next in
                waiting[next] -= 1
                return waiting[next] == 0 && chosen.contains(next)
            }
            ready += next
        }
        return order
    }

    /// Says of a calculation or a choice filter that it names the answer that it makes, which other
    /// programs refuse. `.` is what was there before, and meant so: `if(${other} = '', ., ${other})`.
    private mutating func tellOwnAnswer(_ item: Int) {
        let rules = compiler.items[item].rules
        let calculation = rules.calculation.flatMap { $0.timing.isFormsOwn ? $0 : nil }
        for (rule, member) in [(calculation, "calculation"), (rules.choices, "choice_filter")] {
            let references = rule?.expression.references ?? []
            guard references.contains(where: { names(item, $0) }) else { continue }
            findings.append(
                compiler.finding(
                    item, member, "it names its own answer, and other programs refuse that",
                    "Name another question; `once(...)` keeps what was computed first."))
        }
    }

    private func names(_ item: Int, _ reference: Reference) -> Bool {
        guard reference.moves.contains(where: { $0 != .itself }) || reference.isNamed else {
            return false
        }
        return compiler.targets(of: reference, at: item)?.contains(item) ?? false
    }

    private mutating func tell(_ circle: Set<Int>) {
        let names = Set(circle.map { all[$0].item }).sorted()
            .map { String(decoding: compiler.items[$0].name, as: UTF8.self) }
        let listed = names.prefix(6).joined(separator: ", ") + (names.count > 6 ? ", ..." : "")
        for step in circle.map({ all[$0] }).sorted(by: { $0.item < $1.item }) {
            let rules = compiler.items[step.item].rules
            let member =
                switch step.kind {
                case .relevance: "relevant"
                case .count: "repeat_count"
                case .value:
                    rules.calculation != nil
                        ? "calculation" : rules.choices != nil ? "choice_filter" : "default"
                }
            let isOwn = circle.count == 1 && step.kind == .relevance
            let isGroup = compiler.items[step.item].isContainer
            let text =
                isOwn && isGroup
                ? "not checked here: it depends on an answer in it"
                : names.count == 1
                    ? "not checked here: it depends on itself"
                    : "not checked here: \(listed) depend on each other in a circle"
            let hint =
                isOwn
                ? "Its own answer cannot decide whether it is asked: name a question outside of it."
                : "One of them has to be an answer, or leave the others out."
            findings.append(compiler.finding(step.item, member, text, hint))
        }
    }
}
