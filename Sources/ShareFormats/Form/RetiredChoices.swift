/// Finds what lists of earlier versions had that the lists of today have not, once for each pair of
/// them: fields can be many, and most have their lists in common.
struct RetiredChoices {
    /// A list that a field had in an earlier version, and the one that it has today.
    struct Source: Hashable {
        /// The place of the version among the earlier ones.
        let version: Int
        /// The place of the list in it.
        let old: Int
        /// The place of today's list; nil where the field has none in the form.
        let today: Int?
    }

    /// Of all lists that are made together, whose further choices are shown by their names. Without it
    /// each field could have another list of 160,000.
    static let most = 50_000
    /// How many choices are looked for in a list, or put together, in all.
    private static let mostCompared = 1_000_000

    private let form: Form
    private let earlier: [Form]
    /// The places of choices that are gone, in their old list.
    private var gone: [Source: [Int]] = [:]
    /// The names of the choices that a list of today has.
    private var offered: [Int?: Set<String>] = [:]
    /// The places of the first choice of each name, by version and list.
    private var distinct: [[Int]: [Int]] = [:]
    private var compared = 0
    private var made = 0

    /// - Parameter earlier: the latest first.
    init(_ form: Form, _ earlier: [Form]) {
        (self.form, self.earlier) = (form, earlier)
    }

    /// The choices of these lists that are gone, each as the first list with it has it.
    mutating func choices(of sources: [Source]) -> [Choice] {
        var choices: [Choice] = []
        var known: Set<String> = []
        for source in sources {
            let list = earlier[source.version].lists[source.old]
            for place in places(source, list) where made < Self.most {
                compared += 1
                guard known.insert(list.choices[place].name).inserted else { continue }
                choices.append(list.choices[place])
                made += 1
            }
        }
        return choices
    }

    private mutating func places(_ source: Source, _ list: ChoiceList) -> [Int] {
        if let places = gone[source] { return places }
        let now = source.today.map { form.lists[$0].choices } ?? []
        // Most lists stay as they were.
        guard list.choices != now, compared < Self.mostCompared else { return [] }
        let names = offered[source.today] ?? Set(now.map(\.name))
        offered[source.today] = names
        let key = [source.version, source.old]
        let first = distinct[key] ?? Self.distinct(list)
        distinct[key] = first
        compared += first.count
        let places = first.filter { !names.contains(list.choices[$0].name) }
        gone[source] = places
        return places
    }

    private static func distinct(_ list: ChoiceList) -> [Int] {
        var names: Set<String> = []
        return list.choices.indices.filter { names.insert(list.choices[$0].name).inserted }
    }
}
