internal import Expressions
package import ShareCore
package import ShareFormats

/// What is shown of an entry.
extension FillState {
    /// A field, or a repeat as a whole, in its place in an entry.
    package enum Part: Sendable {
        case field(node: Int, Form.Field)
        /// `node` is what it lies in; its repetitions are nodes too.
        case `repeat`(node: Int, Form.Repeat, rows: Range<Int>)
    }

    /// All nodes in the order of the form.
    package var nodes: [Int] {
        var order: [Int] = []
        func visit(_ node: Int) {
            order.append(node)
            for child in tree.children(of: node) { visit(child) }
        }
        visit(0)
        return order
    }

    /// Fields and repeats in the order of the form, a repeat before its repetitions.
    package var parts: [Part] {
        var parts: [Part] = []
        func visit(_ node: Int) {
            let nodes = tree.children(of: node)
            var next = nodes.lowerBound
            for child in questionnaire.items[tree[node].item].children {
                let start = next
                while next < nodes.upperBound, tree[next].item == child { next += 1 }
                switch questionnaire.items[child].kind {
                case .field(let field): parts.append(.field(node: start, field))
                case .repeat(let outer):
                    parts.append(.repeat(node: node, outer, rows: start..<next))
                    for row in start..<next { visit(row) }
                case .group, .form: visit(start)
                }
            }
        }
        visit(0)
        return parts
    }

    /// The fields and repetitions that are not asked, with their paths; a group has none of its own.
    package var hidden: [(path: String, node: Int)] {
        nodes.filter { node in
            switch questionnaire.items[tree[node].item].kind {
            case .group, .form: false
            case .field, .repeat: !tree[node].isRelevant
            }
        }.map { (path(of: $0), $0) }
    }

    /// `sighting[2]/species`: groups are no part of it.
    ///
    /// - Parameter byRow: Repetitions are named by their rows in the store, which stay the same when
    ///   others go, where they have some.
    package func path(of node: Int, child: String? = nil, byRow: Bool = false) -> String {
        var names = child.map { [$0] } ?? []
        var node = node
        while node > 0 {
            switch questionnaire.items[tree[node].item].kind {
            case .field(let field): names.append(field.name)
            case .repeat(let outer):
                let row = byRow ? tree[node].row?.text : nil
                names.append("\(outer.name)[\(row ?? String(tree[node].position))]")
            case .group, .form: break
            }
            node = tree[node].parent
        }
        return names.count == 1 ? names[0] : names.reversed().joined(separator: "/")
    }

    /// The node at a path as `path(of:)` writes it.
    package func node(at path: String) -> Int? {
        for item in questionnaire.named[Array(path.utf8)] ?? [] {
            let node = tree.sole[item]
            if node >= 0, self.path(of: node) == path { return node }
        }
        return node(at: path[...], in: 0)
    }

    /// Goes down from the form or a repetition. Nothing is looked for among all nodes: of 10,000
    /// rows, each may have to be found.
    private func node(at path: Substring, in row: Int) -> Int? {
        let scope = tree[row].item
        for item in questionnaire.items.indices.dropFirst()
        where questionnaire.items[item].scope == scope {
            switch questionnaire.items[item].kind {
            case .field(let field):
                if path.utf8.elementsEqual(field.name.utf8) {
                    return tree.near(item, seenFrom: row)
                }
            case .repeat(let outer):
                guard let (place, rest) = Self.repetition(path, of: outer.name) else { continue }
                let parent = questionnaire.items[item].parent
                guard let around = parent == scope ? row : tree.near(parent, seenFrom: row) else {
                    continue
                }
                let rows = tree.children(of: around, item)
                guard place <= rows.count else { continue }
                let found = rows.lowerBound + place - 1
                guard let rest else { return found }
                if let inner = node(at: rest, in: found) { return inner }
            case .group, .form: continue
            }
        }
        return nil
    }

    /// The number of the repetition of a repeat that a path begins with, and what follows in it.
    private static func repetition(
        _ path: Substring, of name: String
    ) -> (place: Int, rest: Substring?)? {
        guard path.utf8.starts(with: name.utf8) else { return nil }
        var rest = path.utf8.dropFirst(name.utf8.count)
        guard rest.popFirst() == UInt8(ascii: "["),
            let end = rest.firstIndex(of: UInt8(ascii: "]")),
            let place = Int(Substring(rest[..<end])), place > 0
        else { return nil }
        rest = rest[rest.index(after: end)...]
        guard let slash = rest.popFirst() else { return (place, nil) }
        return slash == UInt8(ascii: "/") ? (place, Substring(rest)) : nil
    }

    /// `sighting/species`: the question at a node, in whichever repetition it stands.
    package func question(of node: Int) -> String {
        var names: [String] = []
        var node = node
        while node > 0 {
            switch questionnaire.items[tree[node].item].kind {
            case .field(let field): names.append(field.name)
            case .repeat(let outer): names.append(outer.name)
            case .group, .form: break
            }
            node = tree[node].parent
        }
        return names.reversed().joined(separator: "/")
    }

    package func value(at node: Int) -> FieldValue { tree[node].value }

    /// The field whose answer in the entry before a new one begins with, where nobody has said
    /// anything.
    package func lastSaved(at node: Int) -> String? {
        kind == .new && !tree[node].isGiven ? tree.item(of: node).rules.lastSaved : nil
    }

    /// Whether its default waits for questions that it names and that nobody has answered yet.
    package func awaitsDefault(_ node: Int) -> Bool { tree[node].awaitsDefault }

    /// Whether its value is its default, made of other answers, and nobody has said anything of it.
    package func followsAnswers(_ node: Int) -> Bool { tree[node].isDerived }

    package func isRelevant(_ node: Int) -> Bool { tree[node].isRelevant }

    /// Whether a repeat that lies in a node is relevant as a whole: where one of its repetitions is,
    /// or, where there is none, by its condition.
    package func isRelevant(_ outer: Form.Repeat, in node: Int) -> Bool {
        guard tree[node].isRelevant else { return false }
        guard
            let item = questionnaire.items[tree[node].item].children.first(where: {
                questionnaire.items[$0].name.elementsEqual(outer.name.utf8)
            }), let rule = questionnaire.items[item].rules.relevant
        else { return true }
        let rows = tree.children(of: node, item)
        guard rows.isEmpty else { return rows.contains { tree[$0].isRelevant } }
        return !isUnknown(rule, at: node) && value(of: rule, at: node)?.isTrue ?? true
    }

    /// The labels of the groups around a node, outermost first; a repetition has its number.
    package func groups(around node: Int) -> [String] {
        var labels: [String] = []
        var node = tree[node].parent
        while node > 0 {
            switch questionnaire.items[tree[node].item].kind {
            case .group(let group):
                if let label = text(group.label, at: node) { labels.append(label) }
            case .repeat(let outer):
                let label = text(outer.group.label, at: node) ?? outer.name
                labels.append("\(label) \(tree[node].position)")
            case .field, .form: break
            }
            node = tree[node].parent
        }
        return labels.reversed()
    }

    /// A text of the form in the language of the state, with the answers that it names put in.
    package func text(_ text: LocalizedText, at node: Int) -> String? {
        guard
            let found = text.text(
                in: toldLanguage ?? language, questionnaire.form.defaultLanguage)
        else { return nil }
        return found.utf8.contains(UInt8(ascii: "$")) ? filled(found, at: node) : found
    }

    /// Puts answers in the place of `${name}`; a name that there is not stays as it is.
    /// Answers are cut where they come to too much, and beyond the last bound texts stay as the form
    /// has them: a short form can name a long answer thousands of times.
    func filled(_ text: String, at node: Int) -> String {
        textBytes -= text.utf8.count
        guard textBytes >= 0 else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var (done, place, left) = (0, 0, Self.answerBytes)
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "$")) {
            place = start + 1
            guard bytes[place...].first == UInt8(ascii: "{") else { continue }
            guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "}")) else { break }
            let name = Array(bytes[(place + 1)..<end].trimmed)
            place = end + 1
            asking = tree[node].item
            guard let item = questionnaire.item(named: name, seenFrom: asking),
                let found = tree.near(item, seenFrom: node)
            else { continue }
            result += bytes[done..<start]
            done = place
            textBytes -= Self.nameBytes
            guard tree[found].isRelevant, tree[found].value != .absent else { continue }
            let shown = left > 0 ? display(at: found, upTo: left) : "..."
            result += shown.utf8
            left = max(0, left - shown.utf8.count)
        }
        textBytes -= result.count
        return done == 0 ? text : self.text(result + bytes[done...])
    }

    /// The value of a node in a message.
    func named(_ node: Int) -> String {
        let shown = display(at: node, upTo: max(0, min(textBytes, Self.answerBytes)))
        textBytes -= shown.utf8.count
        return shown
    }

    /// Bytes of answers that are put into one text, and of such texts of one entry together.
    static let answerBytes = 4 * 1024
    static let allTextBytes = 4 << 20
    /// What it takes to find an answer or a label, in bytes of text that are as much work.
    static let nameBytes = 1024
    static let labelBytes = 256
    /// Hints of one entry that are looked for: people read the first ones.
    static let allHints = 100

    /// The value of a node as people read it: labels of choices, `70%`; empty without one.
    ///
    /// - Parameter limit: Bytes after which it is cut.
    package func display(at node: Int, upTo limit: Int = FormLimits.valueBytes) -> String {
        let field = questionnaire.items[tree[node].item].field
        let unit = field?.isPercent == true ? "%" : ""
        switch tree[node].value {
        case .absent: return ""
        case .integer(let number): return String(number) + unit
        case .decimal(let number): return NumberText.shortest(number) + unit
        case .text(let text):
            guard let field, field.kind.isChoice else { return text.shortened(to: limit) }
            let item = questionnaire.items[tree[node].item]
            var shown = ""
            for name in field.names(in: text) {
                if !shown.isEmpty { shown += ", " }
                shown +=
                    label(of: name, in: item, seenFrom: node) ?? retiredLabel(of: name, field)
                    ?? name
                if shown.utf8.count > limit { break }
            }
            return shown.shortened(to: limit)
        }
    }

    /// The label of a choice that only earlier versions of the form offered.
    func retiredLabel(of name: String, _ field: Form.Field) -> String? {
        let form = questionnaire.form
        return form.past.label(
            of: name, in: field.name, languages: [toldLanguage ?? language, form.defaultLanguage])
    }

    /// The name that the form gives the entry; nil where it gives none.
    package var instanceName: String? {
        guard let rule = questionnaire.instanceName, let found = value(of: rule, at: 0) else {
            return nil
        }
        let name = String(decoding: found.text(in: self), as: UTF8.self)
        return name.allSatisfy(\.isWhitespace) ? nil : name
    }

    /// How many of the fields that people fill in are answered, and how many there are.
    package var progress: (answered: Int, relevant: Int) {
        var progress = (answered: 0, relevant: 0)
        for node in tree.entries.indices where tree[node].isRelevant {
            guard let field = questionnaire.items[tree[node].item].field, !field.kind.isAutomatic,
                field.expressions.calculation == nil, !field.isReadOnly
            else { continue }
            progress.relevant += 1
            if tree[node].value != .absent { progress.answered += 1 }
        }
        return progress
    }
}

extension ArraySlice<UInt8> {
    var trimmed: Self {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
        var left = drop(while: isSpace)
        while let last = left.last, isSpace(last) { left.removeLast() }
        return left
    }
}
