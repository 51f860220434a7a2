/// The circles among steps of which some come after others: each is a set of two or more steps that
/// all lead to each other (strongly connected components; Tarjan 1972, "Depth-first search and
/// linear graph algorithms").
///
/// What only lies between two circles is in neither.
struct Circles {
    private(set) var found: [Set<Int>] = []

    /// For each step the steps after it.
    private let after: [Set<Int>]
    /// The order in which steps were first reached.
    private var numbers: [Int: Int] = [:]
    /// The smallest number of a step that is open and can be reached from a step.
    private var lowest: [Int: Int] = [:]
    /// Steps whose circle is not complete, in the order in which they were reached.
    private var open: [Int] = []
    private var isOpen: Set<Int> = []
    /// The way down to the step that is looked at, with what is still to be followed of each: a form
    /// can have thousands of steps in one row, too many for calls in calls.
    private var way: [(step: Int, next: [Int])] = []

    /// - Parameters:
    ///   - steps: The steps that are looked at; none in a circle may be missing.
    ///   - after: For each step the steps after it.
    init(among steps: Set<Int>, after: [Set<Int>]) {
        self.after = after
        for step in steps.sorted() where numbers[step] == nil {
            enter(step)
            while let top = way.last { goOn(from: top.step, among: steps) }
        }
    }

    private mutating func enter(_ step: Int) {
        lowest[step] = numbers.count
        numbers[step] = numbers.count
        open.append(step)
        isOpen.insert(step)
        way.append((step, after[step].sorted(by: >)))
    }

    private mutating func goOn(from step: Int, among steps: Set<Int>) {
        if let next = way[way.count - 1].next.popLast() {
            guard steps.contains(next) else { return }
            if numbers[next] == nil {
                enter(next)
            } else if isOpen.contains(next) {
                lower(step, to: numbers[next])
            }
            return
        }
        way.removeLast()
        if let before = way.last { lower(before.step, to: lowest[step]) }
        if lowest[step] == numbers[step] { close(step) }
    }

    private mutating func lower(_ step: Int, to number: Int?) {
        guard let number, let old = lowest[step] else { return }
        lowest[step] = min(old, number)
    }

    /// Takes the steps from `step` on: nothing further leads back to them.
    private mutating func close(_ step: Int) {
        var circle: Set<Int> = []
        while let last = open.popLast() {
            isOpen.remove(last)
            circle.insert(last)
            if last == step { break }
        }
        if circle.count > 1 { found.append(circle) }
    }
}
