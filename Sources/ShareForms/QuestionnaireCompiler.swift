import Expressions
import JSON
import ShareCore
import ShareFormats

/// Reads the expressions of a form and finds fault with what they refer to.
struct QuestionnaireCompiler {
    let form: Form
    var items: [Item] = []
    private(set) var named: [[UInt8]: [Int]] = [:]
    /// What fields, groups and repeats are called, each once and in order, for hints.
    private(set) var itemNames: [String] = []
    private(set) var tables: [[UInt8]: ChoiceTable] = [:]
    /// Of all lists of the form: in a sheet of choices all have the columns of each other.
    private(set) var columns: Set<[UInt8]> = []
    private(set) var instanceName: Rule?
    var findings = FindingList()
    /// Of lists that were looked at, by the bytes of theirs.
    var choiceNames: [[UInt8]: Set<[UInt8]>] = [:]
    /// Where each item stands in the definition.
    private(set) var positions: [[JSONPath.Step]] = []

    init(_ form: Form) { self.form = form }

    mutating func compile() {
        for list in form.lists {
            let table = ChoiceTable(list, defaultLanguage: form.defaultLanguage)
            tables[Array(list.name.utf8)] = table
            columns.formUnion(table.columns)
            if table.isNarrowed { noteColumns(of: list) }
        }
        items = [
            Item(
                kind: .form, name: rootName, parent: -1, scope: 0, slot: 0, path: [rootName])
        ]
        positions = [[]]
        var slots = Slots()
        add(form.content, to: 0, scope: 0, at: [], &slots)
        for position in items.indices {
            named[items[position].name, default: []].append(position)
            if let field = items[position].field, field.name != field.node {
                named[Array(field.name.utf8), default: []].append(position)
            }
        }
        itemNames = Set(items.dropFirst().map { String(decoding: $0.name, as: UTF8.self) })
            .sorted()
        // A field wins over a group of its name.
        for (name, found) in named where found.count > 1 {
            let fields = found.filter { items[$0].field != nil }
            named[name] = fields + found.filter { items[$0].field == nil }
        }
        for position in items.indices { read(position) }
        noteReadersOfRepeats()
        instanceName = rule(
            form.instanceName, of: 0, "instance_name", [.member("instance_name")])
    }

    private mutating func noteColumns(of list: ChoiceList) {
        findings.append(
            (
                0,
                FormFinding(
                    subject: list.name, member: "lists",
                    path: JSONPath([.member("lists"), .member(list.name)]), offset: nil,
                    text: "more than \(FormLimits.listColumns) columns: the others are not"
                        + " looked up",
                    hint: "Leave out those that nothing asks for.")
            ))
    }

    // MARK: The tree

    private struct Slots {
        var fields = 0
        var repeats = 0
    }

    /// The name of the root in absolute paths: that of pyxform, or of forms of old.
    private var rootName: [UInt8] {
        Array((form.json.contains("/\(form.formID)/") ? form.formID : "data").utf8)
    }

    private mutating func add(
        _ content: [Form.Element], to parent: Int, scope: Int, at path: [JSONPath.Step],
        _ slots: inout Slots
    ) {
        for (index, element) in content.enumerated() {
            let position = path + [.member("fields"), .element(index)]
            switch element {
            case .field(let field):
                append(.field(field), field.node, parent, scope, slots.fields, position)
                slots.fields += 1
            case .group(let group, let inner):
                let item = append(.group(group), group.name, parent, scope, 0, position)
                add(inner, to: item, scope: scope, at: position, &slots)
            case .repeat(let outer, let inner):
                let item = append(
                    .repeat(outer), outer.name, parent, scope, slots.repeats, position)
                slots.repeats += 1
                var own = Slots()
                add(inner, to: item, scope: item, at: position, &own)
            }
        }
    }

    @discardableResult
    private mutating func append(
        _ kind: Item.Kind, _ name: String, _ parent: Int, _ scope: Int, _ slot: Int,
        _ position: [JSONPath.Step]
    ) -> Int {
        let name = Array(name.utf8)
        items.append(
            Item(
                kind: kind, name: name, parent: parent, scope: scope, slot: slot,
                path: items[parent].path + [name]))
        items[parent].children.append(items.count - 1)
        positions.append(position)
        return items.count - 1
    }

    // MARK: Expressions

    private mutating func read(_ position: Int) {
        switch items[position].kind {
        case .form: noteNamesInChoices()
        case .group(let group):
            noteNames(inTextsOf: group, position)
            items[position].rules.relevant = rule(group.relevant, of: position, "relevant")
        case .repeat(let outer):
            noteNames(inTextsOf: outer.group, position)
            items[position].rules.relevant = rule(outer.group.relevant, of: position, "relevant")
            items[position].rules.count = rule(outer.count, of: position, "repeat_count")
        case .field(let field): read(field, position)
        }
    }

    private mutating func read(_ field: Form.Field, _ position: Int) {
        noteNames(inTextsOf: field, position)
        let texts = field.expressions
        var rules = Item.Rules()
        rules.relevant = rule(texts.relevant, of: position, "relevant")
        let trigger = rule(texts.trigger, of: position, "trigger")
        rules.calculation = rule(
            texts.calculation, of: position, "calculation",
            trigger: texts.trigger.map { _ in items(of: trigger, at: position) })
        rules.constraint = rule(texts.constraint, of: position, "constraint")
        rules.required = rule(texts.required, of: position, "required")
        rules.readOnly = rule(texts.readOnly, of: position, "read_only")
        rules.warn = rule(
            texts.warn, of: position, "x.warn",
            positions[position] + [.member("x"), .member("warn")])
        if let initial = texts.initial {
            if let name = Self.lastSaved(initial), named[Array(name.utf8)] != nil {
                rules.lastSaved = name
            } else if Self.isComputed(initial, of: field), !isNoNumber(initial, field, position) {
                rules.initial = rule(initial, of: position, "default")
            } else if let value = PlainValue.value(initial, of: field), field.takes(initial) {
                // What cannot be chosen would have every new entry refused.
                if isOffered(initial, field, position) { rules.plain = value }
            } else {
                noteDefault(initial, field, position)
            }
        }
        noteRange(field, position)
        rules.choices = choices(field, position)
        if rules.choices != nil, let list = field.listName, tables[Array(list.utf8)] == nil,
            field.parameter("value") == nil
        {
            rules.choice = choice(field)
        }
        items[position].rules = rules
        items[position].wantsAnswer =
            field.isRequiredWhereRelevant && field.expressions.calculation == nil
    }

    /// Bounds of a range that people may not mean.
    private mutating func noteRange(_ field: Form.Field, _ position: Int) {
        guard field.kind == .range else { return }
        let range = field.range
        if range.start > range.end {
            note(
                position, "parameters", "start is greater than end: it is read as \(range.words)",
                "Write the smaller one as start.")
        } else if let step = field.parameter("step"), Double(step).map({ $0 <= 0 }) ?? true {
            note(
                position, "parameters", "step is \(step): it is read as \(range.words)",
                "A step is a number greater than 0.")
        }
    }

    mutating func note(
        _ position: Int, _ member: String, _ text: String, _ hint: String, isFault: Bool = false
    ) {
        findings.append(finding(position, member, text, hint, isFault: isFault))
    }

    /// A finding about the member of an item as a whole.
    func finding(
        _ position: Int, _ member: String, _ text: String, _ hint: String?, isFault: Bool = false
    ) -> FindingList.Ordered {
        (
            position,
            FormFinding(
                subject: String(decoding: items[position].name, as: UTF8.self), member: member,
                path: JSONPath(positions[position] + [.member(member)]), offset: nil,
                text: text, hint: hint, isFault: isFault)
        )
    }

    /// The other items that an expression names.
    func items(of expression: Expression, at position: Int) -> [Int] {
        expression.references.flatMap { targets(of: $0, at: position) ?? [] }
            .filter { $0 != position }
    }

    /// The questions that it names which are asked and not stored; a name of the whole entry is made
    /// of what there is.
    private func unstored(in expression: Expression, of position: Int) -> [Int] {
        position == 0
            ? [] : items(of: expression, at: position).filter { items[$0].isUnstored }
    }

    func items(of rule: Rule?, at position: Int) -> [Int] {
        rule.map { items(of: $0.expression, at: position) } ?? []
    }

    /// The rows that can be chosen, where that is not the whole list.
    private mutating func choices(_ field: Form.Field, _ position: Int) -> Rule? {
        guard field.kind.isChoice, let list = items[position].list, !list.contains("'") else {
            return nil
        }
        var source = "instance('\(list)')/root/item"
        var result: Rule?
        for (text, member) in [
            (field.expressions.choiceFilter, "choice_filter"),
            (field.expressions.entries, "x.where"),
        ] {
            guard let text else { continue }
            let path: [JSONPath.Step] =
                member == "x.where"
                ? [.member("x"), .member("where")] : [.member("choice_filter")]
            let before = source.utf8.count + 1
            let longer = source + "[\(text)]"
            guard
                let rule = rule(
                    longer, of: position, member, positions[position] + path, shift: before)
            else { continue }
            source = longer
            result = rule
        }
        return result
    }

    /// The row of its answer, where that can be chosen. What is wrong in the conditions has been
    /// found in `choices`.
    private func choice(_ field: Form.Field) -> Rule? {
        // A list that answers name is not always the same one.
        guard let list = field.listName, !list.contains("'"), !list.contains("$") else {
            return nil
        }
        let conditions = [field.expressions.entries, field.expressions.choiceFilter]
            .compactMap(\.self).map { "[\($0)]" }.joined()
        let text = "instance('\(list)')/root/item[name = ${\(field.name)}]\(conditions)"
        guard case .expression(let expression) = Expression.parse(Array(text.utf8)) else {
            return nil
        }
        return Rule(expression)
    }

    /// Plain words that XLSForm takes for a condition.
    private static let plainTruths: [String: String] = {
        let pairs =
            ["yes", "Yes", "YES", "true", "True", "TRUE"].map { ($0, "true()") }
            + ["no", "No", "NO", "false", "False", "FALSE"].map { ($0, "false()") }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    /// Reads an expression; nil where there is none, or where it cannot be checked here.
    private mutating func rule(
        _ text: String?, of position: Int, _ member: String, _ path: [JSONPath.Step]? = nil,
        trigger: [Int]? = nil, shift: Int = 0
    ) -> Rule? {
        guard let text else { return nil }
        let path = JSONPath(path ?? (positions[position] + [.member(member)]))
        func add(_ offset: Int, _ found: String, _ hint: String?, isAboutField: Bool = false) {
            findings.append(
                (
                    position,
                    FormFinding(
                        subject: position == 0
                            ? form.formID : String(decoding: items[position].name, as: UTF8.self),
                        member: member, path: path, offset: max(0, offset - shift), text: found,
                        hint: hint, isAboutField: isAboutField)
                ))
        }
        switch Expression.parse(Array((Self.plainTruths[text] ?? text).utf8)) {
        case .invalid(let error):
            let found =
                error.found.isEmpty
                ? "the end" : "\"\(String(decoding: error.found, as: UTF8.self))\""
            add(
                error.offset,
                "not checked here: there is \(found) in place of "
                    + String(decoding: error.expected, as: UTF8.self),
                error.hint.map { String(decoding: $0, as: UTF8.self) })
            return nil
        case .unsupported(let error):
            add(
                error.offset,
                "not checked here: \(String(decoding: error.what, as: UTF8.self)) is not known",
                error.hint.map { String(decoding: $0, as: UTF8.self) })
            return nil
        case .expression(let expression):
            var isSound = true
            for reference in expression.references {
                let fault = fault(of: reference, at: position, withHint: findings.isShown)
                guard let fault else { continue }
                add(
                    reference.offset, "not checked here: \(fault.text)", fault.hint,
                    isAboutField: fault.isAboutField)
                isSound = false
            }
            guard isSound else { return nil }
            for wrong in comparedInVain(expression, at: position) {
                add(wrong.offset, wrong.text, wrong.hint)
            }
            return Rule(
                expression, trigger: trigger, unstored: unstored(in: expression, of: position),
                namesAnswers: expression.isVolatile
                    && !items(of: expression, at: position).isEmpty,
                looksOutside: looksOutside(expression) { items(of: expression, at: position) },
                computed: computed(expression.root, of: expression, at: position))
        }
    }
}
