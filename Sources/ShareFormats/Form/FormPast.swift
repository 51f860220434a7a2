package import ShareCore

/// Questions and choices of earlier versions of a form that the form in force has no more.
package struct FormPast: Hashable, Sendable {
    /// A question that is not asked any more.
    package struct Question: Hashable, Sendable {
        package let field: Form.Field
        /// Its list, where that lay in the form.
        package let choices: ChoiceList?
        /// The latest version that had it.
        package let version: String
        /// The place in `Form.stored` of what is asked instead: under its name, else under its label
        /// where only one has it; nil where nothing is.
        package let successor: Int?
    }

    /// Versions that are looked at, the latest.
    package static let versions = 16

    private var questions: [FormField: Question] = [:]
    /// Choices that are not offered any more: fields that had, and have, the same lists share one.
    private(set) var retiredLists: [ChoiceList] = []
    /// The places in `retiredLists` by the names of fields.
    private var retired: [String: Int] = [:]

    init() {}

    /// - Parameter earlier: the versions before this one, the latest first.
    init(of form: Form, _ earlier: [Form]) {
        var labels: [[UInt8]: Int] = [:]
        for (place, field) in form.stored.enumerated() {
            for label in Set(field.label.texts.map { FormNames.folded($0.text) }) {
                labels[label] = labels[label] == nil ? place : -1
            }
        }
        let now = Dictionary(
            (form.fields + form.repeats.flatMap(\.fields)).map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        for old in earlier.prefix(Self.versions) {
            for field in old.stored {
                let key = FormField(name: field.name, type: field.storage ?? .text)
                guard questions[key] == nil,
                    !form.stored.contains(where: { $0.name == field.name && $0.storage == key.type }
                    )
                else { continue }
                let sameLabel = field.label.texts.lazy
                    .compactMap { labels[FormNames.folded($0.text)] }.first { $0 >= 0 }
                questions[key] = Question(
                    field: field, choices: field.list.flatMap { old.list(named: $0) },
                    version: old.version,
                    successor: form.stored.firstIndex { $0.name == field.name } ?? sameLabel)
            }
        }
        retire(form, Array(earlier.prefix(Self.versions)), now)
    }

    /// - Parameter now: the fields of the form by their names.
    private mutating func retire(_ form: Form, _ earlier: [Form], _ now: [String: Form.Field]) {
        func lists(_ form: Form) -> [[UInt8]: Int] {
            Dictionary(
                form.lists.enumerated().map { (Array($1.name.utf8), $0) },
                uniquingKeysWith: { first, _ in first })
        }
        let today = lists(form)
        var sources: [String: [RetiredChoices.Source]] = [:]
        for (version, old) in earlier.enumerated() {
            let before = lists(old)
            for field in old.fields + old.repeats.flatMap(\.fields) where field.kind.isChoice {
                guard let same = now[field.name], same.kind.isChoice,
                    let list = field.list.flatMap({ before[Array($0.utf8)] })
                else { continue }
                sources[same.name, default: []].append(
                    RetiredChoices.Source(
                        version: version, old: list,
                        today: same.list.flatMap { today[Array($0.utf8)] }))
            }
        }
        var retired = RetiredChoices(form, earlier)
        var places: [[RetiredChoices.Source]: Int] = [:]
        // In one order, so that each device has the same of them where there are too many.
        for (name, sources) in sources.sorted(by: { $0.key < $1.key }) {
            if places[sources] == nil {
                let choices = retired.choices(of: sources)
                places[sources] = choices.isEmpty ? -1 : retiredLists.count
                if !choices.isEmpty {
                    retiredLists.append(ChoiceList(name: name, choices: choices))
                }
            }
            if let place = places[sources], place >= 0 { self.retired[name] = place }
        }
    }

    /// The question whose answers lie under a name and type that the form in force does not have.
    package func question(_ field: FormField) -> Question? { questions[field] }

    /// That an earlier version asked for a field of that name, and what is asked instead; nil where
    /// none did.
    func hint(named name: String, of form: Form) -> String? {
        let found = questions.filter { $0.key.name.utf8.elementsEqual(name.utf8) }
            .min { $0.key.type.rawValue < $1.key.type.rawValue }?.value
        guard let found else { return nil }
        let instead = found.successor.map { " \(form.stored[$0].name) is asked instead." } ?? ""
        return "Version \(found.version) had it, and it is not asked any more.\(instead)"
    }

    /// The place in `retiredLists` of the choices of a field that are not offered any more; nil where
    /// there are none.
    func retired(_ field: String) -> Int? { retired[field] }

    /// The label of a choice of a field that is not offered any more; nil where it never was.
    package func label(of choice: String, in field: String, languages: [String?]) -> String? {
        retired[field].flatMap { retiredLists[$0].label(of: choice, in: languages) }
    }
}

extension FormPast.Question {
    /// Its label; its name where it has none.
    package func label(in languages: [String?]) -> String {
        field.label.text(among: languages) ?? field.name
    }

    /// An answer to it as people read it.
    package func shown(_ value: FieldValue, in languages: [String?]) -> String {
        let unit = field.isPercent ? "%" : ""
        switch value {
        case .absent: return ""
        case .integer(let number): return String(number) + unit
        case .decimal(let number): return NumberText.shortest(number) + unit
        case .text(let text):
            guard let choices else { return text }
            let names = field.kind.isSeveral ? text.split(separator: " ").map(String.init) : [text]
            return names.map { choices.label(of: $0, in: languages) ?? $0 }.joined(separator: ", ")
        }
    }
}

extension ChoiceList {
    /// What people read for a choice; its name where it has no label, nil where it is none.
    fileprivate func label(of name: String, in languages: [String?]) -> String? {
        guard let choice = choices.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        return choice.label.text(among: languages) ?? choice.name
    }
}
