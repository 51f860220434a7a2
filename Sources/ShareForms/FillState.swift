package import Expressions
package import ShareCore
internal import ShareFormats

/// An entry that is being filled in or checked: answers in, the state of every field out.
///
/// All expressions of an entry share one budget of steps, of which each may take half of what is
/// left. One that this does not suffice for is computed no more in this entry. What is not computed,
/// and what cannot be with these answers, is not checked and stands in nobody's way.
package final class FillState {
    /// How an entry came to be.
    package enum Kind: Sendable {
        /// It is being made: defaults and what the device fills in are put where nobody has said
        /// anything.
        case new
        /// It comes from a file: as a new one, but what a device fills in is not of this moment,
        /// and rows of repeats are not here yet: what looks at them is as the file has it.
        case imported
        /// It has been made before: what was computed once stays.
        case stored
    }

    /// What becomes of an answer that is not among the choices any more.
    package enum Clearing: Sendable {
        case never
        case always
        /// Except at these paths, with rows by their ids.
        case sparing(Set<String>)
    }

    package let questionnaire: Questionnaire
    private(set) var setting: EntrySetting
    let language: String?
    /// In which texts are told, where that is another than what is computed is in.
    private(set) var toldLanguage: String?
    let kind: Kind
    let clearing: Clearing
    var tree: EntryTree
    /// The steps that are left.
    package internal(set) var budget: Budget
    /// Hints that may still be looked for.
    var hints = FillState.allHints
    /// Bytes of texts into which answers may still be put.
    var textBytes = FillState.allTextBytes
    /// Nodes of which something is not checked.
    var unchecked: Set<Int> = []
    /// Those among them whose expressions look at more entries of another form than are looked at.
    var uncounted: Set<Int> = []
    /// Those among them whose expressions look at rows of the entry, of which some are left out.
    var unseen: Set<Int> = []
    /// Those among them whose expressions take too many steps.
    var endless: Set<Int> = []
    /// Nodes that keep a value of other answers than there are now, as one of these is not stored.
    var staying: Set<Int> = []
    /// The expressions that take too many.
    var givenUp: Set<ObjectIdentifier> = []
    /// The entry before a change; nil where no change is looked at.
    let earlier: EntryTree?
    /// The same with the repetitions that the form asked for then: all others begin with it.
    let before: EntryTree?
    /// Nodes with other answers than before the change.
    var moved: Set<Int> = []
    /// Choices that could not be chosen before the change either, by the paths of answers that have
    /// them, with rows by their ids.
    let unchosenBefore: [String: [String]]
    /// The question whose answer has just changed.
    let asked: String?
    /// Its node, once it has been looked for.
    var askedNode: Int??
    /// Whether the expression that is computed was not given all rows that it asked for: the first
    /// ones where choices are listed, and else none.
    var leftOut = false
    var isListing = false
    /// What is known to be wrong with values that do not fit their type.
    package var setFaults: [Int: EntryFault] = [:]
    /// Computed values that their fields cannot keep, as texts, by the nodes of these.
    var unkept: [Int: String] = [:]
    /// The item whose expression is computed.
    var asking = 0
    /// The node whose expression is computed.
    var askingNode = 0
    /// Whether a label of a choice is being put together.
    var isInLabel = false
    /// Steps to take.
    private var dirty: [Bool]
    /// How often the repetitions of which repeat were made anew.
    var rounds: [Int: Int] = [:]
    /// By the bytes of their names.
    var lists: [[UInt8]: (any ChoiceRows)?] = [:]
    /// The names behind handles of nodes of lists, and these lists.
    var listNames: [[UInt8]] = []
    var listRows: [any ChoiceRows] = []

    /// Computes the state of an entry.
    ///
    /// - Parameters:
    ///   - earlier: The answers before a change: what was computed of others than these, and cannot
    ///     be computed now, goes. Without them it stays as it was given.
    ///   - before: The state of these: repetitions of an entry that has been made which were not in
    ///     it get their defaults.
    ///   - beside: The same where new repetitions are as they are given.
    ///   - asked: The path of the question whose answer has just changed: what it triggers is
    ///     computed anew.
    ///   - budget: The steps that it may take.
    package init(
        _ questionnaire: Questionnaire, _ answers: Answers = Answers(), kind: Kind,
        since earlier: Answers? = nil, before: FillState? = nil, beside: FillState? = nil,
        asked: String? = nil,
        language: String? = nil, clearing: Clearing = .never, setting: EntrySetting,
        budget: Budget = Budget()
    ) {
        self.questionnaire = questionnaire
        self.setting = setting
        self.language =
            language.map { questionnaire.language(meantBy: $0) ?? $0 }
            ?? questionnaire.form.defaultLanguage
        self.kind = kind
        self.clearing = clearing
        self.budget = budget
        tree = EntryTree(questionnaire, answers, isNew: kind != .stored)
        self.earlier = earlier.map { EntryTree(questionnaire, $0, isNew: false) }
        self.before = kind == .stored && !questionnaire.isFlat ? before?.tree : nil
        unchosenBefore = (before ?? beside)?.unchosen ?? [:]
        self.asked = asked
        dirty = [Bool](repeating: true, count: questionnaire.steps.count)
        if let earlier = self.earlier { moved = tree.moved(since: earlier) }
        chargeNodes()
        computeAll()
    }

    /// Tells texts and labels in the language that somebody means from now on; what the form computes
    /// of labels, and keeps, stays in its own.
    package func tell(in language: String?) {
        toldLanguage = language.map { questionnaire.language(meantBy: $0) ?? $0 }
    }

    /// Computes as on every device, whatever texts are told in.
    func asKept<Value>(_ compute: () -> Value) -> Value {
        guard let told = toldLanguage else { return compute() }
        toldLanguage = nil
        defer { toldLanguage = told }
        return compute()
    }

    /// Whether an answer is another than before a change.
    package func hasMoved(_ node: Int) -> Bool { moved.contains(node) }

    /// Takes steps for the nodes that were made: they are gone through beside the expressions too.
    func chargeNodes() {
        if !questionnaire.isFlat { _ = budget.take(tree.entries.count * Self.nodeSteps) }
        askedNode = nil
    }

    private static let nodeSteps = 4

    /// Puts other answers of the form's own fields in the place of all: one state does for all
    /// entries of a form without repeats. Positions are those of `Form.stored`; fields that are not
    /// `known` get their defaults.
    ///
    /// - Parameter now: where it is another moment than before.
    package func reset(
        to values: [FieldValue], known: [Bool], now: Moment? = nil, budget: Budget = Budget()
    ) {
        if let now { setting.now = now }
        forget()
        self.budget = budget
        tree.reset(values, known)
        for step in dirty.indices { dirty[step] = true }
        computeAll()
    }

    /// The same without computing anything: for what is shown of an entry as it is kept.
    package func show(_ values: [FieldValue], known: [Bool], now: Moment) {
        setting.now = now
        forget()
        budget = Budget()
        tree.reset(values, known)
    }

    /// Lets go of all that was found in another entry.
    private func forget() {
        forgetLists()
        forgetFound()
        givenUp.removeAll(keepingCapacity: true)
        textBytes = Self.allTextBytes
        hints = Self.allHints
    }

    /// Lets go of what was found at nodes that are others now.
    func forgetFound() {
        unchecked.removeAll(keepingCapacity: true)
        uncounted.removeAll(keepingCapacity: true)
        unseen.removeAll(keepingCapacity: true)
        endless.removeAll(keepingCapacity: true)
        staying.removeAll(keepingCapacity: true)
        unkept.removeAll(keepingCapacity: true)
    }

    /// The values of the form's own fields, in the order of `Form.stored`; absent where they are
    /// not relevant.
    package var stored: [FieldValue] {
        questionnaire.storedItems.map { item in
            let entry = tree[tree.sole[item]]
            return entry.isRelevant ? entry.value : .absent
        }
    }

    /// The answers as they are now, without those of what is not relevant.
    package var answers: Answers { tree.answers() }

    /// The same with all repetitions in their places; those that are not relevant are left out.
    package var placed: Answers { tree.answers(keepPlaces: true) }

    /// Whether there were too many nodes: some repetitions are neither computed nor checked, and
    /// are in none of the answers.
    package var leavesOut: Bool { tree.isCut }

    /// Changes one answer and computes what depends on it.
    package func set(_ value: FieldValue, at node: Int) {
        tree[node].isUntouched = false
        tree[node].isGiven = true
        tree[node].isDerived = false
        guard tree[node].value != value else { return }
        tree[node].value = value
        tree[node].computed = .plain
        if earlier != nil { moved.insert(node) }
        changed(node)
        compute()
    }

    // MARK: Computing

    private func computeAll() {
        begin()
        compute()
    }

    /// Plain defaults, and what the device knows.
    func begin() {
        if let before { tree.begin(since: before) }
        guard kind != .stored || before != nil || tree.hasNew else { return }
        for node in tree.entries.indices
        where tree[node].isUntouched && questionnaire.traits[tree[node].item].mayBegin {
            guard let field = tree.item(of: node).field else { continue }
            let value: FieldValue
            switch field.kind {
            case .start, .today, .deviceID, .username, .end:
                guard kind == .new, let known = known(field.kind) else { continue }
                value = known
            case .note: continue
            default:
                guard let plain = tree.item(of: node).rules.plain,
                    field.expressions.calculation == nil
                else { continue }
                value = plain
            }
            tree[node].value = value
            if value != .absent { tree[node].isUntouched = false }
            if tree[node].isAdded { moved.insert(node) }
        }
    }

    /// What the device knows when an entry is begun.
    private func known(_ kind: FieldKind) -> FieldValue? {
        switch kind {
        case .start: .text(dateTime(setting.now))
        case .today: .text(text(setting.now.fields(in: self).date))
        case .deviceID: .text(setting.deviceID)
        case .username: .text(setting.username)
        default: nil
        }
    }

    /// Fills in when the entry was finished, where nobody has said so.
    package func finish() {
        for node in tree.entries.indices
        where tree.item(of: node).field?.kind == .end && tree[node].value == .absent {
            tree[node].value = .text(dateTime(setting.now))
            tree[node].isUntouched = false
            changed(node)
        }
        compute()
    }

    func changed(_ node: Int) {
        for step in questionnaire.dependents[tree[node].item] { dirty[step] = true }
    }

    private func compute() {
        rounds.removeAll(keepingCapacity: true)
        var place = 0
        while place < dirty.count {
            guard dirty[place] else {
                place += 1
                continue
            }
            dirty[place] = false
            let step = questionnaire.steps[place]
            asking = step.item
            switch step.kind {
            case .relevance: for node in tree.nodes(of: step.item) { computeRelevance(node, place) }
            case .value: for node in tree.nodes(of: step.item) { computeValue(node, place) }
            case .count:
                let items = countedTogether(from: place)
                for done in place..<(place + items.count) { dirty[done] = false }
                if computeCounts(items) {
                    // Other nodes: all is computed anew.
                    for step in dirty.indices { dirty[step] = true }
                    place = 0
                    continue
                }
                place += items.count - 1
            }
            place += 1
        }
    }

    /// Whether a node waits for rows of repeats, which come with a file of their own.
    func awaitsRows(_ node: Int) -> Bool {
        guard kind == .imported, !questionnaire.isFlat else { return false }
        let traits = questionnaire.traits[tree[node].item]
        return traits.readsRepeats || traits.isInRepeat
    }

    private func computeRelevance(_ node: Int, _ place: Int) {
        guard !awaitsRows(node) else { return }
        guard let rule = questionnaire.items[tree[node].item].rules.relevant else { return }
        let isWanted =
            isUnknown(rule, at: node)
            ? hasAnswer(node) : value(of: rule, at: node)?.isTrue ?? true
        tree[node].isWanted = isWanted
        settleRelevance(node, isMoved: readsMoved(place, node))
    }

    /// Takes on whether what is around a node is relevant, down to all that lies in it.
    private func settleRelevance(_ node: Int, isMoved: Bool) {
        let parent = tree[node].parent
        let isRelevant = tree[node].isWanted && (parent < 0 || tree[parent].isRelevant)
        guard isRelevant != tree[node].isRelevant else { return }
        tree[node].isRelevant = isRelevant
        if isMoved { moved.insert(node) }
        changed(node)
        for child in tree.children(of: node) { settleRelevance(child, isMoved: isMoved) }
    }

    private func computeValue(_ node: Int, _ place: Int) {
        let before = (tree[node].value, tree[node].computed)
        revalue(node, place)
        guard (tree[node].value, tree[node].computed) != before else { return }
        if earlier != nil { moved.insert(node) }
        changed(node)
    }

    private func revalue(_ node: Int, _ step: Int) {
        let place = tree[node].item
        guard questionnaire.traits[place].isField, !awaitsRows(node) else { return }
        let storage = questionnaire.traits[place].storage
        if tree[node].isUntouched, let rule = questionnaire.items[place].rules.initial,
            questionnaire.items[place].field?.expressions.calculation == nil
        {
            let found = awaitsAnswers(step, node) ? nil : value(of: rule, at: node)
            tree[node].awaitsDefault = found == nil
            if let found {
                tree[node].isUntouched = false
                tree[node].isDerived = !questionnaire.sources[step].isEmpty
                keep(found, of: storage, at: node)
            }
        }
        guard tree[node].isRelevant else { return }
        if let rule = questionnaire.items[place].rules.calculation {
            if rule.computed != .plain { tree[node].computed = rule.computed }
            if isUnknown(rule, at: node) {
                if tree[node].value != .absent, readsMoved(step, node) { staying.insert(node) }
                return
            }
            if !staying.isEmpty { staying.remove(node) }
            if isDue(rule, step, node) {
                if let found = value(of: rule, at: node) {
                    keep(found, of: storage, at: node)
                    tree[node].computed = EntryTree.Computed(found)
                } else if readsMoved(step, node), !unseen.contains(node) {
                    tree[node].value = .absent
                    tree[node].computed = .plain
                }
            }
        } else if questionnaire.items[place].rules.choices != nil, tree[node].value != .absent,
            mayClear(node), let field = questionnaire.items[place].field
        {
            clear(node, field)
        }
    }

    private func dateTime(_ moment: Moment) -> String { text(moment.dateTime(in: self)) }
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
