extension Form {
    /// A part of a form in its place.
    package indirect enum Element: Hashable, Sendable {
        case field(Field)
        case group(Group, [Element])
        case `repeat`(Repeat, [Element])
    }

    /// A group of fields: it shows them together, and its name is no part of theirs.
    package struct Group: Hashable, Sendable {
        package let name: String
        package let label: LocalizedText
        package let hint: LocalizedText
        /// Word for word.
        package let relevant: String?
        package let appearance: String?
        /// The names of the groups and repeats that it lies in, outermost first.
        package let path: [String]
    }

    /// A group that an entry has any number of times.
    package struct Repeat: Hashable, Sendable {
        package let group: Group
        /// The expression of how many there are, word for word; nil where people add them.
        package let count: String?
        /// From `x.min` and `x.max`.
        package let minimum: Int?
        package let maximum: Int?
        /// The names of the repeats from the outermost down to this one: its rows are entries of
        /// the form `FORM/A/B`.
        package let names: [String]
        /// Those of its own in order, with what only shows something; not those of repeats in it.
        package let fields: [Field]
        /// The fields that have values.
        package let stored: [Field]

        package var name: String { group.name }
    }

    /// The labels and hints of fields, groups and repeats, in the order of the form.
    package static func texts(of content: [Element]) -> [LocalizedText] {
        content.flatMap { element -> [LocalizedText] in
            switch element {
            case .field(let field): [field.texts.label, field.texts.hint]
            case .group(let group, let inner): [group.label] + texts(of: inner)
            case .repeat(let outer, let inner): [outer.group.label] + texts(of: inner)
            }
        }
    }

    static func fields(of content: [Element]) -> [Field] {
        content.flatMap { element -> [Field] in
            switch element {
            case .field(let field): [field]
            case .group(_, let inner): fields(of: inner)
            case .repeat: []
            }
        }
    }

    static func repeats(of content: [Element]) -> [Repeat] {
        content.flatMap { element -> [Repeat] in
            switch element {
            case .field: []
            case .group(_, let inner): repeats(of: inner)
            case .repeat(let outer, let inner): [outer] + repeats(of: inner)
            }
        }
    }
}
