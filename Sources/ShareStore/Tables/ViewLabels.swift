import ShareCore

/// What the choices of a form's own lists are called, for the views that people read: those of the
/// form in force, and of its latest versions what it does not offer any more.
struct ViewLabels {
    /// For each field its choices with the labels of those that have one, by name.
    private var labels: [String: [String: String]] = [:]
    /// Fields with several choices.
    private var several: Set<String> = []

    /// Choices of a field, and of all fields of a form; of others no labels are shown.
    private static let perField = 500
    private static let perForm = 2_000
    /// Versions of a form that are looked at.
    private static let versions = 8

    /// - Parameter definitions: that of the form in force first, then the others, the latest first.
    init(_ definitions: [String], in database: Database) throws {
        var left = Self.perForm
        // Most forms that have no choices are known by a look.
        for json in definitions.prefix(Self.versions)
        where left > 0 && json.contains(#""lists""#) {
            var lists: [String: [String: String]] = [:]
            for row in try database.rows(Self.choices, .text(json)) {
                guard case .text(let list) = row[0], case .text(let name) = row[1],
                    case .text(let label) = row[2], !label.isEmpty
                else { continue }
                lists[list, default: [:]][name] = label
            }
            guard !lists.isEmpty else { continue }
            var known: [String: String] = [:]
            for row in try database.rows(Self.fields, .text(json)) {
                guard case .text(let field) = row[0], case .text(let list) = row[1] else {
                    continue
                }
                if row[2] == .integer(1) { several.insert(field) }
                // Repeats of one form may have a question of one name each.
                let other = known.updateValue(list, forKey: field)
                guard other == nil || other == list else {
                    labels[field] = nil
                    continue
                }
                guard other == nil, let names = lists[list] else { continue }
                let more = names.filter { labels[field]?[$0.key] == nil }
                left -= more.count
                guard left >= 0, names.count <= Self.perField else { continue }
                labels[field, default: [:]].merge(more) { first, _ in first }
            }
        }
    }

    /// The definition, or nothing where it is none.
    private static let definition =
        "form AS (SELECT CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END AS definition)"

    /// Fields with choices: list, and whether they have several.
    private static let fields = """
        WITH \(definition)
        SELECT json_extract(value, '$.name'), json_extract(value, '$.list'),
            json_extract(value, '$.type') LIKE '%multiple%'
                OR json_extract(value, '$.type') LIKE 'rank%'
        FROM form, json_tree(definition, '$.fields')
        WHERE json_tree.type = 'object' AND json_extract(value, '$.list') IS NOT NULL
        """

    /// Choices of the form's own lists, with their labels in the form's language, else in the first.
    private static let choices = """
        WITH \(definition)
        SELECT list.key, json_extract(choice.value, '$.name'),
            CASE json_type(choice.value, '$.label')
                WHEN 'text' THEN json_extract(choice.value, '$.label')
                WHEN 'object' THEN coalesce(
                    (SELECT value FROM json_each(choice.value, '$.label')
                     WHERE key = json_extract(definition, '$.default_language')),
                    (SELECT value FROM json_each(choice.value, '$.label') LIMIT 1)) END
        FROM form, json_each(definition, '$.lists') list,
            json_each(CASE list.type WHEN 'array' THEN list.value ELSE '[]' END) choice
        WHERE choice.type = 'object'
        """

    /// What a column reads as, as an expression over the table `t`; nil where its values are what
    /// people read.
    func sql(of field: FormField, as column: String) -> String? {
        guard field.type == .text, let names = labels[field.name],
            names.contains(where: { $0.key != $0.value })
        else { return nil }
        let ways = names.sorted { $0.key < $1.key }
            .filter { !($0.key + $0.value).utf8.contains(0) }
            .map { " WHEN \(Self.quoted($0.key)) THEN \(Self.quoted($0.value))" }.joined()
        guard !ways.isEmpty else { return nil }
        guard several.contains(field.name) else {
            return "CASE \(column)\(ways) ELSE \(column) END"
        }
        let list = #"'["' || replace(\#(column), ' ', '","') || '"]'"#
        return """
            CASE WHEN json_valid(\(list)) THEN
            (SELECT group_concat(CASE value\(ways) ELSE value END, ', ') FROM json_each(\(list)))
            ELSE \(column) END
            """
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}
