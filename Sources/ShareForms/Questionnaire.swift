internal import Expressions
internal import ShareCore
package import ShareFormats

/// A form with its logic read: what depends on what, and in which order it is computed.
///
/// It is made once for each definition and never changes; any number of entries use it.
package final class Questionnaire: Sendable {
    package let form: Form
    /// What its author should look at, in the order of the form.
    package let findings: [FormFinding]
    /// The number of those that are not among `findings`, as there are too many.
    let furtherFindings: Int
    /// False where an entry needs no more than values that fit their types.
    package let hasLogic: Bool
    /// False where nothing can be wrong with, or unusual about, an entry that has such values.
    package let hasChecks: Bool
    /// The languages in which the form has texts, in their order; none where they are plain.
    package let languages: [String]

    /// The form, its groups, repeats and fields in order, each before what lies in it.
    let items: [Item]
    /// One for each of `items`.
    let traits: [ItemTraits]
    /// What is computed, in an order in which nothing comes before what it depends on.
    let steps: [Step]
    /// For each item the places of its own steps and of those that depend on it.
    let dependents: [[Int]]
    /// For each of `steps` the other items that it depends on.
    let sources: [[Int]]
    /// Items by name, in the order of the form.
    let named: [[UInt8]: [Int]]
    /// The lists of the form by the bytes of their names: two that only look alike are two lists.
    let tables: [[UInt8]: ChoiceTable]
    let instanceName: Rule?
    /// The positions in `Form.stored` of the form's own fields, among its items.
    let storedItems: [Int]
    /// The items that need more than a value of their type.
    let checked: [Int]
    /// Those of them that may be flagged.
    let warned: [Int]
    /// For the form and each repeat how many repeats lie directly in it.
    let repeatCounts: [Int]
    /// For each of `items` the nodes of one of it: with all that lies in it but further repetitions.
    let ownNodes: [Int]
    /// True where nothing of the form is repeated: an entry then has one node for each item.
    let isFlat: Bool

    /// Whether the form gives its entries names.
    package var namesEntries: Bool { instanceName != nil }

    /// Reads the logic of a form.
    package init(_ form: Form) {
        self.form = form
        var compiler = QuestionnaireCompiler(form)
        compiler.compile()
        let order = DependencyOrder(compiler)
        var items = compiler.items
        for item in order.alwaysAsked { items[item].rules.relevant = nil }
        self.items = items
        traits = items.map { ItemTraits($0) }
        named = compiler.named
        tables = compiler.tables
        instanceName = compiler.instanceName
        steps = order.steps
        dependents = order.dependents
        var sources = [[Int]](repeating: [], count: order.steps.count)
        for (item, places) in order.dependents.enumerated() {
            for place in places where order.steps[place].item != item {
                sources[place].append(item)
            }
        }
        self.sources = sources
        findings = (compiler.findings.kept + order.findings).sorted { $0.order < $1.order }
            .map(\.finding)
        furtherFindings = compiler.findings.further
        storedItems = compiler.items.indices.filter {
            compiler.items[$0].field?.storage != nil && compiler.items[$0].scope == 0
        }
        isFlat = form.repeats.isEmpty
        checked = compiler.items.indices.filter {
            let item = compiler.items[$0]
            return item.rules.hasChecks || item.wantsAnswer || item.isBounded
        }
        warned = checked.filter { compiler.items[$0].rules.warn != nil }
        hasChecks =
            !checked.isEmpty
            || items.contains {
                $0.rules.relevant != nil || $0.rules.calculation != nil || $0.rules.count != nil
            }
        var counts = [Int](repeating: 0, count: compiler.items.count)
        for item in compiler.items where item.isRepeat { counts[item.scope] += 1 }
        repeatCounts = counts
        var own = [Int](repeating: 1, count: items.count)
        for item in items.indices.reversed() where items[item].parent >= 0 && !items[item].isRepeat
        {
            own[items[item].parent] += own[item]
        }
        ownNodes = own
        languages = Questionnaire.languages(of: form)
        hasLogic =
            !order.steps.isEmpty
            || compiler.items.contains {
                $0.rules.hasChecks || $0.hasInitial || $0.isBounded && !$0.isInForm
                    || $0.field?.texts.requiredMessage.isEmpty == false
            }
    }

    /// The places in `Form.stored` of what people answer and that begins with a default, in which
    /// chance has no part.
    package var defaults: [Int] {
        form.stored.indices.filter { place in
            let item = items[storedItems[place]]
            guard item.field?.beginsWithDefault == true else { return false }
            return item.rules.plain != nil || item.rules.initial?.expression.isByChance == false
        }
    }

    /// The language that somebody means, as the form calls it; nil where it has none of that name.
    package func language(meantBy wanted: String) -> String? {
        LanguageName.meant(by: wanted, among: languages)
    }

    /// Of lists the first choices alone are looked at: they may be long.
    private static func languages(of form: Form) -> [String] {
        let texts =
            [form.title] + Form.texts(of: form.content)
            + form.lists.flatMap { $0.choices.prefix(1).map(\.label) }
        var found: [String] = []
        for one in texts.lazy.flatMap(\.texts)
        where !one.language.isEmpty && !found.contains(one.language) { found.append(one.language) }
        return found
    }

    /// The item that `${name}` means in an expression of the item `position`: of its own repeat,
    /// else of the nearest one around, else the first in the form.
    func item(named name: [UInt8], seenFrom position: Int) -> Int? {
        named[name].map { items.nearest(of: $0, to: position) }
    }
}

extension [Item] {
    /// Of the items with one name the one in the repeat of the item at a place, else in the nearest
    /// repeat around, else the first.
    func nearest(of found: [Int], to position: Int) -> Int {
        if found.count == 1 { return found[0] }
        var scope = self[position].scope
        while true {
            if let near = found.first(where: { self[$0].scope == scope }) { return near }
            if scope == 0 { return found[0] }
            scope = self[scope].scope
        }
    }
}

/// An expression of a form that can be evaluated.
final class Rule: Sendable {
    /// When a value is computed anew.
    enum Timing: Equatable {
        /// Whenever it is looked at.
        case always
        /// Where an answer that it names has changed: the clock alone changes nothing.
        case answers
        /// The same, and whatever is given in its place gives way: a list that has become another
        /// one changes nothing in entries that are there.
        case lookup
        /// Where an entry is begun.
        case once
        /// Where the answer to one of these items has changed.
        case trigger([Int])

        /// Whether the form alone says what a field has, whatever anybody gives.
        var isFormsOwn: Bool { self == .always || self == .lookup }
    }

    let expression: Expression
    let timing: Timing
    /// The items that it names which are asked and not stored.
    let unstored: [Int]
    /// What every value of it is.
    let computed: EntryTree.Computed

    /// - Parameter trigger: The items whose answers have it computed; nil where no such are named.
    init(
        _ expression: Expression, trigger: [Int]? = nil, unstored: [Int] = [],
        namesAnswers: Bool = true, looksOutside: Bool = false,
        computed: EntryTree.Computed = .plain
    ) {
        self.expression = expression
        self.unstored = unstored
        timing =
            if let trigger {
                trigger.isEmpty ? .once : .trigger(trigger)
            } else if !expression.isVolatile {
                looksOutside ? .lookup : .always
            } else if expression.isByChance || !namesAnswers {
                .once
            } else {
                .answers
            }
        self.computed = computed
    }
}

/// The form, a group, repeat or field, in its place.
struct Item: Sendable {
    enum Kind: Sendable {
        case form
        case group(Form.Group)
        case `repeat`(Form.Repeat)
        case field(Form.Field)
    }

    let kind: Kind
    let name: [UInt8]
    /// The item around it; -1 for the form.
    let parent: Int
    /// The repeat, or 0 for the form, in which its value lies.
    let scope: Int
    /// For a field its place in `Answers.fields`, for a repeat in `Answers.repeats`.
    let slot: Int
    var children: [Int] = []
    /// Names from the root down to it.
    let path: [[UInt8]]
    var rules = Rules()
    /// Whether people must answer it, by plain words.
    var wantsAnswer = false

    /// What is computed of it.
    struct Rules: Sendable {
        var relevant: Rule?
        var calculation: Rule?
        var initial: Rule?
        /// The default where nothing has to be computed.
        var plain: FieldValue?
        /// The field whose answer in the entry before is the default.
        var lastSaved: String?
        var count: Rule?
        /// The rows of its list that can be chosen: `instance('list')/root/item[...]`.
        var choices: Rule?
        /// The same of a list outside of the form, with nothing but the answer that is there: among
        /// very many rows, one is looked up instead.
        var choice: Rule?
        var constraint: Rule?
        var required: Rule?
        var readOnly: Rule?
        var warn: Rule?

        var all: [Rule] {
            [relevant, calculation, initial, count, choices, constraint, required, readOnly, warn]
                .compactMap(\.self)
        }

        var hasChecks: Bool { constraint != nil || required != nil || warn != nil }
    }

    var field: Form.Field? {
        if case .field(let field) = kind { field } else { nil }
    }

    var isRepeat: Bool {
        if case .repeat = kind { true } else { false }
    }

    var isContainer: Bool { field == nil }

    /// Whether it is asked and not stored.
    var isUnstored: Bool { field?.isPersistent == false }

    /// Whether a new entry has a value of it without anybody's doing.
    var hasInitial: Bool {
        field.map { $0.expressions.initial != nil || $0.kind.isMetadata } ?? false
    }

    /// Whether its choices are a list of the form, which whoever reads values knows.
    var isInForm: Bool { field.map { $0.kind.isChoice && !$0.kind.isFromFile } ?? false }

    /// Whether a rule of its own looks into repeats, or at what is computed of them.
    var readsRepeats = false

    /// Whether its value is checked against more than its type.
    var isBounded: Bool {
        switch kind {
        case .form, .group: false
        case .repeat(let outer): outer.minimum != nil || outer.maximum != nil
        case .field(let field):
            field.kind == .range || field.kind.isChoice || field.kind.isMedia
        }
    }

    /// The name of its list as it is looked up.
    var list: String? { field?.listName }
}

/// One thing that is computed of one item, wherever it stands in an entry.
struct Step: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case relevance, count, value
    }

    let item: Int
    let kind: Kind
}
