internal import Expressions
internal import ShareCore
internal import ShareFormats

extension FillState {
    /// A choice that can be chosen now.
    package struct Offer: Hashable, Sendable {
        /// What is stored.
        package let name: String
        package let label: String
    }

    /// Rows that match what people typed, among which those that can be chosen are looked for.
    private static let matches = 1000
    /// Rows of one name that are looked up: where there are more, those that can be chosen are gone
    /// through.
    private static let namesakes = 100
    /// Steps that a look for one row in a list takes.
    private static let lookup = 8

    /// The list of that name and its place among those in use.
    func list(_ name: String) -> (position: Int, rows: any ChoiceRows)? {
        let key = Array(name.utf8)
        let found: (any ChoiceRows)?
        if let known = lists[key] {
            found = known
        } else {
            found = questionnaire.tables[key] ?? setting.list(name)
            lists[key] = .some(found)
            if let found {
                listNames.append(key)
                listRows.append(found)
            }
        }
        guard let found, let position = listNames.firstIndex(of: key), position < 0x1000 else {
            return nil
        }
        return (position, found)
    }

    /// Lets go of the lists that lie elsewhere: they may be others by now.
    func forgetLists() {
        guard !listNames.isEmpty else { return }
        lists.removeAll(keepingCapacity: true)
        listNames.removeAll(keepingCapacity: true)
        listRows.removeAll(keepingCapacity: true)
    }

    func rows(_ position: Int) -> (any ChoiceRows)? {
        listRows.indices.contains(position) ? listRows[position] : nil
    }

    /// The list of a field, which may be named by an answer: `${region}_districts`.
    private func list(of item: Item) -> (position: Int, rows: any ChoiceRows)? {
        item.list.flatMap { list($0) }
    }

    /// Whether what can be chosen at a node are entries of another form.
    func choosesEntries(at node: Int) -> Bool {
        list(of: tree.item(of: node))?.rows.areEntries ?? false
    }

    /// The rows of its list that can be chosen at a node; nil where they are not known.
    private func offered(at node: Int) -> (position: Int, rows: any ChoiceRows, chosen: [Int])? {
        let item = tree.item(of: node)
        guard let (position, rows) = list(of: item) else { return nil }
        leftOut = false
        guard let rule = item.rules.choices else { return (position, rows, rows.all) }
        isListing = true
        defer { isListing = false }
        return nodes(of: rule, at: node).map { found in
            (
                position, rows,
                found.compactMap {
                    if case .row(_, let row) = EntryNode($0) { row } else { nil }
                }
            )
        }
    }

    /// Nil where it has no value with these answers.
    private func nodes(of rule: Rule, at node: Int) -> [Node]? {
        computed(rule, at: node) { budget throws(EvaluationError) in
            try rule.expression.nodes(at: EntryNode.field(node).handle, in: self, budget: &budget)
        }
    }

    /// Whether a name is among the choices now; nil where that is not known.
    func isOffered(_ name: String, at node: Int) -> Bool? {
        guard budget.take(Self.lookup) else {
            unchecked.insert(node)
            endless.insert(node)
            return nil
        }
        let item = tree.item(of: node)
        if let rule = item.rules.choices, isUnknown(rule, at: node) { return nil }
        let wanted = Array(name.utf8)
        if item.rules.choices == nil {
            guard let (_, rows) = list(of: item), let column = nameColumn(of: item, rows) else {
                return nil
            }
            if let found = rows.rows(where: column, equals: wanted, limit: 1) {
                return !found.isEmpty
            }
            return rows.all.contains { rows.text(row: $0, column: column) == wanted }
        }
        if let rule = item.rules.choice {
            guard list(of: item) != nil else { return nil }
            // The rule asks for the row of the answer: this name is put in its place.
            let before = tree[node].value
            tree[node].value = .text(name)
            defer { tree[node].value = before }
            let found = nodes(of: rule, at: node)
            return leftOut ? nil : found.map { !$0.isEmpty }
        }
        guard let (_, rows, chosen) = offered(at: node), let column = nameColumn(of: item, rows)
        else { return nil }
        if let found = rows.rows(where: column, equals: wanted, limit: Self.namesakes),
            found.count < Self.namesakes
        {
            let chosen = Set(chosen)
            return found.contains { chosen.contains($0) }
        }
        return chosen.contains { rows.text(row: $0, column: column) == wanted }
    }

    /// Whether a list of the room has no row of that name: the version in force when it was chosen
    /// may have had one, and nothing is kept of that.
    func isUnlisted(_ name: String, at node: Int) -> Bool {
        let item = tree.item(of: node)
        guard let list = item.list, questionnaire.tables[Array(list.utf8)] == nil,
            let (_, rows) = self.list(list), let column = nameColumn(of: item, rows)
        else { return false }
        return rows.rows(where: column, equals: Array(name.utf8), limit: 1)?.isEmpty ?? false
    }

    /// The choices of a field that match what people typed, in names or labels; at most `limit`,
    /// how many there are, and whether there may be more. Nil where the list is not known.
    package func choices(
        at node: Int, matching typed: String = "", limit: Int
    ) -> (offers: [Offer], count: Int, isCut: Bool)? {
        let item = tree.item(of: node)
        if item.rules.choices == nil, let (_, rows) = list(of: item),
            let column = nameColumn(of: item, rows),
            let found = rows.rows(matching: typed, limit: limit)
        {
            let isCut = rows.isCut
            return (found.rows.map { offer($0, rows, column, seenFrom: node) }, found.count, isCut)
        }
        if !typed.isEmpty, let found = searched(typed, at: node, limit) { return found }
        if item.rules.choice != nil, !typed.isEmpty, let (_, rows) = list(of: item),
            let column = nameColumn(of: item, rows),
            let found = rows.rows(matching: typed, limit: Self.matches)
        {
            let isCut = rows.isCut || found.count > found.rows.count
            let offered = found.rows.filter {
                isOffered(text(rows.text(row: $0, column: column)), at: node) == true
            }
            let offers = offered.prefix(limit).map { offer($0, rows, column, seenFrom: node) }
            return (offers, offered.count, isCut)
        }
        guard let (_, rows, chosen) = offered(at: node), let column = nameColumn(of: item, rows)
        else { return nil }
        let isCut = leftOut
        let wanted = FoldedText.fold(typed)
        var offers: [Offer] = []
        var count = 0
        for row in chosen {
            if wanted.isEmpty, offers.count >= limit {
                count = chosen.count
                break
            }
            let offer = offer(row, rows, column, seenFrom: node)
            guard
                wanted.isEmpty || FoldedText.fold(offer.label).contains(wanted)
                    || FoldedText.fold(offer.name).contains(wanted)
            else { continue }
            count += 1
            if offers.count < limit { offers.append(offer) }
        }
        return (offers, count, isCut)
    }

    /// The choices that match, where another answer leaves some of a long list and an index finds
    /// these: they are looked through and not the list. Nil for all other lists.
    private func searched(
        _ typed: String, at node: Int, _ limit: Int
    ) -> (offers: [Offer], count: Int, isCut: Bool)? {
        let item = tree.item(of: node)
        guard item.rules.choice != nil, let rule = item.rules.choices,
            rule.expression.isLookedUp, list(of: item)?.rows.areEntries == false
        else { return nil }
        // Where they are too many for the steps of an entry, the list is searched as any other.
        let before = (unchecked, endless, givenUp)
        guard let (_, rows, chosen) = offered(at: node), !leftOut,
            let column = nameColumn(of: item, rows)
        else {
            (unchecked, endless, givenUp) = before
            return nil
        }
        let wanted = FoldedText.fold(typed)
        var matching: [Int]
        if chosen.count <= Self.matches {
            let found = chosen.compactMap { row -> (row: Int, isLeading: Bool)? in
                let texts = rows.texts(row: row).map { FoldedText.fold($0) }
                guard texts.contains(where: { $0.contains(wanted) }) else { return nil }
                return (row, texts.contains { $0.hasPrefix(wanted) })
            }
            matching = found.filter(\.isLeading).map(\.row)
            matching += found.filter { !$0.isLeading }.map(\.row)
        } else {
            guard let found = rows.rows(matching: typed, limit: .max) else { return nil }
            let chosen = Set(chosen)
            matching = found.rows.filter { chosen.contains($0) }
        }
        let offers = matching.prefix(limit).map { offer($0, rows, column, seenFrom: node) }
        return (offers, matching.count, false)
    }

    private func offer(
        _ row: Int, _ rows: any ChoiceRows, _ column: Int, seenFrom node: Int
    ) -> Offer {
        let name = text(rows.text(row: row, column: column))
        return Offer(name: name, label: label(ofRow: row, in: rows, seenFrom: node) ?? name)
    }

    /// The label of a choice of a field, in the language of the state, as `node` sees it.
    func label(of name: String, in item: Item, seenFrom node: Int) -> String? {
        // An expression may be what asks, and has the budget of steps.
        textBytes -= Self.labelBytes
        guard textBytes >= 0, let (_, rows) = list(of: item),
            let column = nameColumn(of: item, rows)
        else { return nil }
        let wanted = Array(name.utf8)
        let row =
            rows.rows(where: column, equals: wanted, limit: 1).map(\.first)
            ?? rows.all.first { rows.text(row: $0, column: column) == wanted }
        return row.map { label(ofRow: $0, in: rows, seenFrom: node) ?? name }
    }

    /// A label may name answers, as other texts do; one that is put into another label is not
    /// looked at again, so that no choice can name itself without end.
    private func label(ofRow row: Int, in rows: any ChoiceRows, seenFrom node: Int) -> String? {
        guard let text = rows.label(row: row, language: toldLanguage ?? language) else {
            return nil
        }
        guard !isInLabel, text.utf8.contains(UInt8(ascii: "$")) else { return text }
        isInLabel = true
        defer { isInLabel = false }
        return filled(text, at: node)
    }

    private func nameColumn(of item: Item, _ rows: any ChoiceRows) -> Int? {
        let name = item.field?.parameter("value") ?? "name"
        return rows.columns.firstIndex { $0.elementsEqual(name.utf8) }
    }

    /// Whether an answer that is not among the choices any more goes: what was so before a change is
    /// nobody's doing.
    func mayClear(_ node: Int) -> Bool {
        var isSpared: Bool {
            !unchosenBefore.isEmpty && unchosenBefore[path(of: node, byRow: true)] != nil
        }
        switch clearing {
        case .never: return false
        case .always: return !isSpared
        case .sparing(let paths):
            return !paths.contains(path(of: node, byRow: true)) && !isSpared
        }
    }

    /// Whether there are steps to take the names of an answer apart.
    func affordsNames(of text: String, at node: Int) -> Bool {
        guard text.utf8.count > 64, !budget.take(text.utf8.count / 2) else { return true }
        unchecked.insert(node)
        endless.insert(node)
        return false
    }

    /// Takes away what is not among the choices any more.
    func clear(_ node: Int, _ field: Form.Field) {
        guard case .text(let text) = tree[node].value else { return }
        guard field.kind.isSeveral else {
            if isOffered(text, at: node) == false { tree[node].value = .absent }
            return
        }
        guard affordsNames(of: text, at: node) else { return }
        let names = field.names(in: text)
        guard names.count <= FormLimits.chosen else { return }
        let left = names.filter { isOffered($0, at: node) != false }
        if left.count < names.count {
            tree[node].value = left.isEmpty ? .absent : .text(left.joined(separator: " "))
        }
    }
}

extension FillState {
    /// What answers have that is not among their choices, by the paths with rows by their ids.
    var unchosen: [String: [String]] {
        var unchosen: [String: [String]] = [:]
        for node in nodes where tree[node].value != .absent {
            guard let field = questionnaire.items[tree[node].item].field, field.kind.isChoice,
                !isChosen(node), case .text(let text) = tree[node].value
            else { continue }
            let names = field.names(in: text)
            unchosen[path(of: node, byRow: true)] =
                names.count > FormLimits.chosen
                ? names : names.filter { isOffered($0, at: node) != true }
        }
        return unchosen
    }

    /// The choices among several that the entry has and could not choose before the change either: they
    /// may stay.
    package func kept(at node: Int) -> [Offer] {
        let item = questionnaire.items[tree[node].item]
        guard !unchosenBefore.isEmpty, let field = item.field, field.kind.isSeveral,
            let names = unchosenBefore[path(of: node, byRow: true)]
        else { return [] }
        return names.prefix(FormLimits.chosen).filter { isOffered($0, at: node) == false }.map {
            Offer(
                name: $0,
                label: label(of: $0, in: item, seenFrom: node) ?? retiredLabel(of: $0, field) ?? $0)
        }
    }

    /// Whether all that a select has for an answer is among its choices now.
    func isChosen(_ node: Int) -> Bool {
        guard case .text(let text) = tree[node].value, tree[node].isRelevant,
            let field = questionnaire.items[tree[node].item].field, field.kind.isChoice
        else { return false }
        let names = field.names(in: text)
        return names.count <= FormLimits.chosen
            && names.allSatisfy { isOffered($0, at: node) == true }
    }
}
