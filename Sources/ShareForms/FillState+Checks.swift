internal import Expressions
internal import ShareCore
package import ShareFormats

/// A reason why an entry does not fit its form.
package struct EntryFault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case required, constraint, type, choice
        /// There is no such question.
        case unknown
    }

    package let node: Int
    /// For instance `sighting[2]/species`.
    package let path: String
    package let kind: Kind
    /// The form's own message where it has one.
    package let message: String
    package let hint: String?
    /// Whether it is a choice that an earlier version of the form offered.
    package let isRetired: Bool
    /// Of a value of another type what is wanted: `a whole number`.
    package let wanted: String?
    /// Whether the message is the form's own.
    package let isOwnText: Bool
    /// That several choices are called so, of which the other answers may leave one.
    package var alike: ValueError?

    package init(
        node: Int, path: String, kind: Kind, message: String, hint: String?,
        isRetired: Bool = false, wanted: String? = nil, isOwnText: Bool = false
    ) {
        self.wanted = wanted
        self.isOwnText = isOwnText
        self.isRetired = isRetired
        self.node = node
        self.path = path
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}

/// A value that is kept and looks wrong, or something that is not checked.
package struct EntryCaution: Hashable, Sendable {
    package let node: Int
    package let path: String
    package let message: String
    package let tip: String?
    /// Whether the message is the form's own.
    package var isOwnText = false
}

extension FillState {
    /// Why the entry cannot be saved, one reason for each field, in the order of the form.
    ///
    /// - Parameter isSaving: Questions that are only asked, and never stored, need no answer.
    package func faults(isSaving: Bool) -> [EntryFault] {
        if questionnaire.isFlat {
            return questionnaire.checked.compactMap {
                fault(at: tree.sole[$0], isSaving: isSaving)
            }
        }
        return nodes.compactMap { fault(at: $0, isSaving: isSaving) }
    }

    /// What the form flags, and what could not be checked, in the order of the form.
    /// What takes too many steps is told of the first repetition alone.
    package func cautions() -> [EntryCaution] {
        var told: Set<Int> = []
        return nodes.flatMap { node -> [EntryCaution] in
            var found: [EntryCaution] = []
            if let warning = caution(at: node) { found.append(warning) }
            if stays(node) { found.append(stay(node)) }
            if let text = unkept[node], tree[node].isRelevant {
                found.append(
                    EntryCaution(
                        node: node, path: path(of: node),
                        message: "\(path(of: node)) has no value: the form makes"
                            + " \"\(text.shortened(to: 60))\" of it, which it cannot keep",
                        tip: "Whoever makes the form mends that."))
            }
            let isEndless = endless.contains(node)
            if isEndless ? told.insert(tree[node].item).inserted : unchecked.contains(node) {
                found.append(
                    EntryCaution(
                        node: node, path: path(of: node),
                        message: "not checked here: \(whyUnchecked(node))", tip: nil))
            }
            return found
        }
    }

    private func whyUnchecked(_ node: Int) -> String {
        if unseen.contains(node) { return "the entry has more rows than can be computed at once" }
        if uncounted.contains(node) { return "it looks at more entries than 2,000" }
        return endless.contains(node)
            ? "the form computes too much" : "an expression has no value with these answers"
    }

    /// Whether a value is of other answers than there are now.
    package func stays(_ node: Int) -> Bool { !staying.isEmpty && staying.contains(node) }

    private func stay(_ node: Int) -> EntryCaution {
        let rule = questionnaire.items[tree[node].item].rules.calculation
        let names = (rule?.unstored ?? []).compactMap { questionnaire.items[$0].field?.name }
        return EntryCaution(
            node: node, path: path(of: node),
            message: "\(path(of: node)) stays as it is: \(names.joined(separator: ", ")) is asked"
                + " and not stored",
            tip: "Answer that again too, and it is worked out anew.")
    }

    /// The same without a walk through the entry where nothing can be flagged: for many entries.
    package func importCautions() -> [EntryCaution] {
        guard questionnaire.isFlat, unchecked.isEmpty, unkept.isEmpty else { return cautions() }
        return questionnaire.warned.compactMap { caution(at: tree.sole[$0]) }
    }

    // MARK: One field

    /// Whether people must answer it.
    package func isRequired(_ node: Int) -> Bool {
        let traits = questionnaire.traits[tree[node].item]
        // What people may only look at nobody could give.
        guard tree[node].isRelevant, traits.wantsAnswer || traits.mayBeRequired, !isReadOnly(node)
        else { return false }
        if traits.wantsAnswer { return true }
        guard traits.mayBeRequired,
            let rule = questionnaire.items[tree[node].item].rules.required
        else { return false }
        return value(of: rule, at: node)?.isTrue ?? false
    }

    /// Whether people may only look at it.
    package func isReadOnly(_ node: Int) -> Bool {
        let traits = questionnaire.traits[tree[node].item]
        if traits.isReadOnly { return true }
        guard traits.mayBeReadOnly,
            let rule = questionnaire.items[tree[node].item].rules.readOnly
        else { return false }
        return value(of: rule, at: node)?.isTrue ?? false
    }

    /// The reason why the entry cannot be saved that lies in one node.
    package func fault(at node: Int, isSaving: Bool) -> EntryFault? {
        guard tree[node].isRelevant, !awaitsRows(node) else { return nil }
        if !setFaults.isEmpty, let own = setFaults[node] { return own }
        let position = tree[node].item
        let traits = questionnaire.traits[position]
        let isEmpty = tree[node].value == .absent || tree[node].value == .text("")
        // Most entries end here.
        if traits.isField, isEmpty {
            guard isRequired(node) else { return nil }
        } else if traits.isField, !traits.isBounded {
            guard traits.hasConstraint, let rule = questionnaire.items[position].rules.constraint,
                let value = value(of: rule, at: node), !value.isTrue
            else { return nil }
        }
        switch questionnaire.items[position].kind {
        case .field(let field):
            if isEmpty {
                return isSaving && !field.isPersistent ? nil : required(field, at: node)
            }
            return boundFault(field, at: node) ?? constraintFault(field, at: node)
        case .form, .group: return kind == .imported ? nil : repeatFault(in: node)
        case .repeat: return repeatFault(in: node)
        }
    }

    private func required(_ field: Form.Field, at node: Int) -> EntryFault {
        let error = ValueError.required(field: path(of: node))
        let own = text(field.texts.requiredMessage, at: node)
        return EntryFault(
            node: node, path: path(of: node), kind: .required,
            message: own ?? error.description, hint: error.hint, isOwnText: own != nil)
    }

    /// False for a value that the type, the range or the list of its field does not allow.
    func canKeep(_ node: Int) -> Bool {
        let traits = questionnaire.traits[tree[node].item]
        guard traits.isBounded || traits.isShaped,
            let field = questionnaire.items[tree[node].item].field
        else { return true }
        if traits.isShaped, case .text(let text) = tree[node].value { return field.takes(text) }
        return boundFault(field, at: node) == nil
    }

    /// A value that its type, its range or its list does not allow.
    private func boundFault(_ field: Form.Field, at node: Int) -> EntryFault? {
        switch tree[node].value {
        case .text(let text) where field.kind.isChoice:
            let isEntry = choosesEntries(at: node)
            if isEntry, !setting.judgesEntries { return nil }
            guard affordsNames(of: text, at: node) else { return nil }
            let names = field.names(in: text)
            guard names.count <= FormLimits.chosen else {
                let error = ValueError.tooManyChoices(field: path(of: node))
                return EntryFault(
                    node: node, path: path(of: node), kind: .choice, message: error.description,
                    hint: error.hint)
            }
            let wrong = names.filter { isOffered($0, at: node) == false }
            let unknown = wrong.first {
                isEntry || retiredLabel(of: $0, field) == nil && !isUnlisted($0, at: node)
            }
            guard let first = unknown ?? wrong.first else { return nil }
            // What was chosen while it could be may stay beside others.
            if field.kind.isSeveral, moved.contains(node), wrongBefore(wrong, at: node) {
                return nil
            }
            let error =
                isEntry ? notAnEntry(first, at: node) : notOffered(first, field, at: node)
            return EntryFault(
                node: node, path: path(of: node), kind: .choice, message: error.description,
                hint: error.hint, isRetired: unknown == nil)
        case .text(let text) where field.kind.isMedia:
            guard !MediaName.isName(text) else { return nil }
            let wanted = "the name of a file"
            return EntryFault(
                node: node, path: path(of: node), kind: .type,
                message: "field \(path(of: node)) wants \(wanted), not"
                    + " \"\(text.shortened(to: 60))\"", hint: MediaName.hint, wanted: wanted)
        case .decimal(let number) where field.kind == .range:
            let range = field.range
            guard !range.contains(number) else { return nil }
            return EntryFault(
                node: node, path: path(of: node), kind: .constraint,
                message: "field \(path(of: node)): \(NumberText.shortest(number)) is not "
                    + range.words, hint: nil)
        default: return nil
        }
    }

    /// Whether an answer had all of these choices before the change, and could not choose them then.
    private func wrongBefore(_ names: [String], at node: Int) -> Bool {
        guard !unchosenBefore.isEmpty else { return false }
        let before = unchosenBefore[path(of: node, byRow: true)] ?? []
        return names.allSatisfy(before.contains)
    }

    /// A name that is none of the choices, or was one in an earlier version.
    private func notOffered(_ name: String, _ field: Form.Field, at node: Int) -> ValueError {
        hints -= 1
        let offers = hints < 0 ? [] : choices(at: node, limit: 100)?.offers.map(\.name) ?? []
        let nothing =
            hints < 0
            ? "Look at what can be chosen." : "Nothing can be chosen with the other answers."
        if let label = retiredLabel(of: name, field) {
            return .retired(
                field: path(of: node), choice: label,
                hint: Suggestion.hint(for: "", among: offers, otherwise: nothing))
        }
        // It is there, and other answers leave it out.
        let item = tree.item(of: node)
        if item.rules.choices != nil, let label = label(of: name, in: item, seenFrom: node) {
            return .notAChoice(
                field: path(of: node), got: label,
                hint: "It is there, but cannot be chosen with \(reasons(at: node)).")
        }
        return .notAChoice(
            field: path(of: node), got: name,
            hint: Suggestion.hint(for: name, among: offers, otherwise: nothing))
    }

    /// The answers that decide what can be chosen: `Region Sud and Kind Clinic`.
    func reasons(at node: Int) -> String {
        let shown = sources(of: node).filter { tree[$0.node].value != .absent }.map { source in
            "\(source.label) \(display(at: source.node, upTo: 100))"
        }
        return shown.isEmpty ? "the other answers" : shown.prefix(3).joined(separator: " and ")
    }

    /// The same for a question of which nothing can be chosen, with those that have no answer; nil
    /// where it does not depend on any.
    package func deciding(about node: Int) -> String? {
        guard tree.item(of: node).rules.choices != nil else { return nil }
        let shown = sources(of: node).map { source in
            tree[source.node].value == .absent
                ? "\(source.label) (no answer)"
                : "\(source.label) \(display(at: source.node, upTo: 100))"
        }
        return shown.isEmpty ? nil : shown.prefix(3).joined(separator: " and ")
    }

    /// The fields that the choices of a question are worked out from.
    private func sources(of node: Int) -> [(node: Int, label: String)] {
        let place = questionnaire.steps.firstIndex {
            $0.item == tree[node].item && $0.kind == .value
        }
        return (place.map { questionnaire.sources[$0] } ?? []).compactMap { item in
            guard let field = questionnaire.items[item].field,
                let found = tree.near(item, seenFrom: node)
            else { return nil }
            return (found, text(field.label, at: found) ?? field.name)
        }
    }

    /// An entry that cannot be chosen, by its name; of very many nothing near is looked for.
    private func notAnEntry(_ id: String, at node: Int) -> ValueError {
        let item = tree.item(of: node)
        guard let name = label(of: id, in: item, seenFrom: node) else {
            return .notAChoice(
                field: path(of: node), got: id, hint: "There is no such entry here.")
        }
        return .notAChoice(
            field: path(of: node), got: name,
            hint: item.field?.expressions.entries == nil
                ? "It is there, but cannot be chosen with \(reasons(at: node))."
                : "It is there, but the condition of the question leaves it out.")
    }

    private func constraintFault(_ field: Form.Field, at node: Int) -> EntryFault? {
        guard let rule = questionnaire.items[tree[node].item].rules.constraint,
            let value = value(of: rule, at: node), !value.isTrue
        else { return nil }
        let own = text(field.texts.constraintMessage, at: node)
        let written = field.expressions.constraint ?? ""
        if own == nil { hints -= 1 }
        // A long one helps nobody.
        let isTold = own == nil && hints >= 0 && written.utf8.count <= Self.longestHint
        return EntryFault(
            node: node, path: path(of: node), kind: .constraint,
            message: own
                ?? "field \(called(field, path(of: node), at: node)): \(named(node)) is not allowed",
            hint: isTold
                ? "The form wants: "
                    + ExpressionWords.of(written) { called(fieldNamed: $0, seenFrom: node) } + "."
                : nil, isOwnText: own != nil)
    }

    /// `age (Age in years)`: the label where it says more than the name.
    private func called(_ field: Form.Field, _ path: String, at node: Int) -> String {
        guard let label = text(field.label, at: node), label != field.name else { return path }
        return "\(path) (\(label.shortened(to: Self.longestLabel)))"
    }

    private func called(fieldNamed name: String, seenFrom node: Int) -> String {
        guard let item = questionnaire.item(named: Array(name.utf8), seenFrom: tree[node].item),
            let field = questionnaire.items[item].field
        else { return name }
        return called(field, name, at: tree.near(item, seenFrom: node) ?? node)
    }

    private static let longestLabel = 60

    private static let longestHint = 240

    /// Too few or too many repetitions of a repeat that lies directly in a node.
    private func repeatFault(in node: Int) -> EntryFault? {
        for child in questionnaire.items[tree[node].item].children {
            guard case .repeat(let outer) = questionnaire.items[child].kind,
                outer.minimum != nil || outer.maximum != nil
            else { continue }
            let rows = tree.children(of: node).filter { tree[$0].item == child }
            // Without one there is nobody to ask for the relevance of the repeat.
            guard rows.first.map({ tree[$0].isRelevant }) ?? (outer.group.relevant == nil) else {
                continue
            }
            var wanted: String?
            if let least = outer.minimum, rows.count < least { wanted = "at least \(least)" }
            if let most = outer.maximum, rows.count > most { wanted = "at most \(most)" }
            guard let wanted else { continue }
            let name = text(outer.group.label, at: node) ?? outer.name
            return EntryFault(
                node: node, path: path(of: node, child: outer.name), kind: .constraint,
                message: "\(name): \(wanted), there are \(rows.count)", hint: nil)
        }
        return nil
    }

    /// What the form flags in one node.
    package func caution(at node: Int) -> EntryCaution? {
        guard tree[node].isRelevant, tree[node].value != .absent,
            questionnaire.traits[tree[node].item].hasWarning,
            let rule = questionnaire.items[tree[node].item].rules.warn,
            let field = questionnaire.items[tree[node].item].field,
            value(of: rule, at: node)?.isTrue ?? false
        else { return nil }
        let own = text(field.texts.warnMessage, at: node)
        return EntryCaution(
            node: node, path: path(of: node), message: own ?? "\(named(node)) is unusual",
            tip: text(field.texts.tip, at: node), isOwnText: own != nil)
    }
}
