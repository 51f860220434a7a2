import Expressions
import ShareCore
import ShareFormats

/// The nodes of one entry: its form, groups, fields, and each repetition of its repeats. The
/// children of a node stand one after the other, in the order of the form.
struct EntryTree {
    struct Entry {
        let item: Int
        /// -1 for the form.
        let parent: Int
        /// Among the children of its parent with its name, from 1.
        let position: Int
        /// Of a repetition the row of the store that it is.
        var row: RecordID?
        var first = 0
        var count = 0
        /// By its own condition.
        var isWanted = true
        /// With those around it.
        var isRelevant = true
        /// Whether it is to get its default, as nobody has said anything.
        var isUntouched = false
        /// Whether its default could not be computed yet.
        var awaitsDefault = false
        /// Whether it has its default, which is made of other answers.
        var isDerived = false
        /// Whether somebody has said something, be it that there is no answer.
        var isGiven = false
        /// Whether it lies in a repetition that an entry which is changed has not had before.
        var isAdded = false
        /// Whether it is such a repetition, which comes with a file.
        var isNew = false
        var value = FieldValue.absent
        var computed = Computed.plain
    }

    /// Of what a text was computed: expressions see that and not its text.
    enum Computed {
        case plain, boolean, date

        init(_ value: Value) {
            self =
                switch value {
                case .boolean: .boolean
                case .date: .date
                case .number, .string: .plain
                }
        }

        init(_ type: ValueType) {
            self =
                switch type {
                case .boolean: .boolean
                case .date: .date
                case .number, .string, .nodes, .any: .plain
                }
        }
    }

    private(set) var entries: [Entry] = []
    /// The node of each item that is in no repeat; -1 for the others.
    private(set) var sole: [Int] = []
    let questionnaire: Questionnaire
    /// Whether repetitions were left out, as there were too many nodes.
    private(set) var isCut = false
    /// Whether repetitions come with a file.
    private(set) var hasNew = false

    /// More nodes than these are not made: further repetitions are left out, with all that would
    /// lie in them.
    static let limit = 20_000
    /// As many are looked at where somebody has given the rows.
    static let givenLimit = 60_000

    /// How many nodes can still be made.
    var space: Int { max(0, Self.limit - entries.count) }

    /// Notes that there are fewer repetitions than the form counts.
    mutating func leaveOut() { isCut = true }

    /// The tree of some answers.
    ///
    /// - Parameter isNew: Fields about which nobody has said anything get their defaults.
    init(_ questionnaire: Questionnaire, _ answers: Answers, isNew: Bool) {
        self.questionnaire = questionnaire
        sole = [Int](repeating: -1, count: questionnaire.items.count)
        entries = [Entry(item: 0, parent: -1, position: 1)]
        sole[0] = 0
        // With those that are sure to come, as whatever has a place has its fields too.
        var nodes = questionnaire.ownNodes[0]
        var waiting: [(node: Int, answers: Answers?, isStored: Bool, isAdded: Bool)] = [
            (0, answers, !isNew, false)
        ]
        var next = 0
        while next < waiting.count {
            let (node, answers, isStored, isAdded) = waiting[next]
            next += 1
            entries[node].first = entries.count
            for child in questionnaire.items[entries[node].item].children {
                let kind = questionnaire.traits[child]
                if kind.isRepeat {
                    let rows = answers.flatMap {
                        $0.repeats.indices.contains(kind.slot) ? $0.repeats[kind.slot] : nil
                    }
                    let least = isNew ? kind.leastRows : 0
                    let count = max(rows?.count ?? 0, least)
                    for index in 0..<count {
                        let row = rows.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                        let limit = row == nil ? Self.limit : Self.givenLimit
                        guard nodes + questionnaire.ownNodes[child] <= limit else {
                            isCut = true
                            break
                        }
                        nodes += questionnaire.ownNodes[child]
                        append(child, node, index + 1)
                        entries[entries.count - 1].row = row?.row
                        let isOfFile = isAdded || row?.isNew == true
                        entries[entries.count - 1].isNew = isOfFile
                        entries[entries.count - 1].isAdded = isOfFile
                        hasNew = hasNew || isOfFile
                        waiting.append(
                            (
                                entries.count - 1, row ?? Answers(),
                                isStored && row?.row != nil && !isOfFile, isOfFile
                            ))
                    }
                } else if kind.isContainer {
                    append(child, node, 1)
                    entries[entries.count - 1].isAdded = isAdded
                    waiting.append((entries.count - 1, answers, isStored, isAdded))
                } else {
                    append(child, node, 1)
                    let value = answers.flatMap {
                        $0.fields.indices.contains(kind.slot) ? $0.fields[kind.slot] : nil
                    }
                    entries[entries.count - 1].value = value ?? .absent
                    entries[entries.count - 1].isAdded = isAdded
                    entries[entries.count - 1].isUntouched = (isNew || isAdded) && value == nil
                    entries[entries.count - 1].isGiven = isStored || value != nil
                }
            }
            entries[node].count = entries.count - entries[node].first
        }
    }

    private mutating func append(_ item: Int, _ parent: Int, _ position: Int) {
        if questionnaire.items[item].scope == 0, !questionnaire.items[item].isRepeat {
            sole[item] = entries.count
        }
        entries.append(Entry(item: item, parent: parent, position: position))
    }

    /// The same nodes with other answers of the form's own fields.
    mutating func reset(_ values: [FieldValue], _ known: [Bool]) {
        for node in entries.indices {
            entries[node].isWanted = true
            entries[node].isRelevant = true
            entries[node].isUntouched = true
            entries[node].isGiven = false
            entries[node].awaitsDefault = false
            entries[node].isDerived = false
            entries[node].value = .absent
            // What is kept of a calculation is seen as that makes it.
            entries[node].computed = questionnaire.traits[entries[node].item].computed
        }
        for (place, item) in questionnaire.storedItems.enumerated() {
            entries[sole[item]].value = values[place]
            entries[sole[item]].isUntouched = !known[place]
            entries[sole[item]].isGiven = known[place]
        }
    }

    /// Whether another tree has the same nodes, whatever lies in them.
    func hasNodes(of other: EntryTree) -> Bool {
        entries.elementsEqual(other.entries) { $0.item == $1.item && $0.parent == $1.parent }
    }

    /// Lets the fields of repetitions that were in no earlier tree of the entry get their defaults,
    /// where nobody has said anything.
    mutating func begin(since earlier: EntryTree) {
        var added: [Int] = []
        _ = moved(since: earlier) { added.append($0) }
        while let node = added.popLast() {
            entries[node].isAdded = true
            entries[node].isUntouched = !entries[node].isGiven
            added += children(of: node)
        }
    }

    /// The fields that have another answer than in an earlier tree of the entry, or were not in it.
    /// A repetition is the one of the same row; only where no rows are known that of its place.
    ///
    /// - Parameter added: takes each repetition that was not in it, but for those in such a one.
    func moved(since earlier: EntryTree, added: (Int) -> Void = { _ in }) -> Set<Int> {
        var moved: Set<Int> = []
        func compare(_ node: Int, _ was: Int?) {
            var known: [Int: [Int]] = [:]
            var rows: [Row: Int] = [:]
            for child in was.map({ earlier.children(of: $0) }) ?? 0..<0 {
                known[earlier[child].item, default: []].append(child)
                if let row = Row(earlier[child]) { rows[row] = child }
            }
            for child in children(of: node) {
                var old = Row(entries[child]).flatMap { rows[$0] }
                let same = known[entries[child].item] ?? []
                let place = entries[child].position - 1
                if entries[child].row == nil, same.indices.contains(place),
                    earlier[same[place]].row == nil
                {
                    old = same[place]
                }
                if entries[child].value != old.map({ earlier[$0].value }) ?? .absent {
                    moved.insert(child)
                }
                // One that was counted and not asked was in no entry either.
                let isNew = old.map { entries[child].row == nil && !earlier[$0].isRelevant } ?? true
                if isNew, was != nil, questionnaire.items[entries[child].item].isRepeat {
                    added(child)
                }
                compare(child, old)
            }
        }
        compare(0, 0)
        return moved
    }

    /// A row of the store in its repeat.
    private struct Row: Hashable {
        let item: Int
        let id: RecordID

        init?(_ entry: Entry) {
            guard let row = entry.row else { return nil }
            item = entry.item
            id = row
        }
    }

    subscript(node: Int) -> Entry {
        get { entries[node] }
        _modify { yield &entries[node] }
    }

    func children(of node: Int) -> Range<Int> {
        entries[node].first..<(entries[node].first + entries[node].count)
    }

    func item(of node: Int) -> Item { questionnaire.items[entries[node].item] }

    /// The nodes of an item: one, or one in each repetition around it.
    func nodes(of item: Int) -> [Int] {
        if sole[item] >= 0 { return [sole[item]] }
        if item == 0 { return [0] }
        return nodes(of: questionnaire.items[item].parent).flatMap { children(of: $0, item) }
    }

    /// The children of a node that are of one item: they stand together, in the order of the items.
    func children(of node: Int, _ item: Int) -> Range<Int> {
        let children = children(of: node)
        func first(from item: Int) -> Int {
            var (low, high) = (children.lowerBound, children.upperBound)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].item < item { low = middle + 1 } else { high = middle }
            }
            return low
        }
        let start = first(from: item)
        return start..<first(from: item + 1)
    }

    /// The one node of an item that stands in the same repetitions as `node`; nil where there may
    /// be several, or none.
    func near(_ item: Int, seenFrom node: Int) -> Int? {
        if sole[item] >= 0 { return sole[item] }
        guard !questionnaire.items[item].isRepeat else { return nil }
        let scope = questionnaire.items[item].scope
        var above = node
        while above >= 0, entries[above].item != scope { above = entries[above].parent }
        return above < 0 ? nil : inside(above, item)
    }

    /// Down from a repetition through groups.
    private func inside(_ node: Int, _ item: Int) -> Int? {
        let parent = questionnaire.items[item].parent
        guard let around = parent == entries[node].item ? node : inside(node, parent) else {
            return nil
        }
        return children(of: around, item).first
    }

    /// The answers of a part of the entry, without those of what is not relevant.
    ///
    /// - Parameter keepPlaces: Repetitions that are not relevant stand there and are left out.
    func answers(
        in node: Int = 0, keepHidden: Bool = false, keepPlaces: Bool = false
    ) -> Answers {
        let scope = entries[node].item
        var answers = Answers()
        func collect(_ node: Int) {
            for child in children(of: node) {
                let item = questionnaire.traits[entries[child].item]
                if item.isRepeat {
                    while answers.repeats.count <= item.slot { answers.repeats.append([]) }
                    let isAsked = entries[child].isRelevant || keepHidden
                    guard isAsked || keepPlaces else { continue }
                    var row = self.answers(
                        in: child, keepHidden: keepHidden, keepPlaces: keepPlaces)
                    row.isLeftOut = !isAsked
                    row.row = entries[child].row
                    row.isNew = keepHidden && entries[child].isNew
                    answers.repeats[item.slot].append(row)
                } else if item.isContainer {
                    collect(child)
                } else {
                    answers.fields.append(answer(of: entries[child], keepHidden: keepHidden))
                }
            }
        }
        collect(node)
        // A repeat without repetitions has a place too.
        let count = questionnaire.repeatCounts[scope]
        while answers.repeats.count < count { answers.repeats.append([]) }
        return answers
    }

    /// What is not relevant yet, and has had no answer, still waits for its default; so does what
    /// begins with the answer of the entry before, until somebody has said something.
    private func answer(of entry: Entry, keepHidden: Bool) -> FieldValue? {
        // What the form has put there it puts there again.
        if keepHidden { return entry.isGiven ? entry.value : nil }
        if entry.awaitsDefault || entry.isDerived && entry.value == .absent { return nil }
        if entry.isUntouched, entry.value == .absent,
            questionnaire.items[entry.item].rules.lastSaved != nil
        {
            return nil
        }
        return entry.isRelevant ? entry.value : entry.isGiven ? .absent : nil
    }
}
