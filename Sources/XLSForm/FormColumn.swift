/// A column of the survey sheet: its name in the form's JSON, and the names that people give it.
struct FormColumn: Sendable {
    /// How the cells of a column become JSON.
    enum Kind: Sendable {
        /// A text for the machine, such as an expression.
        case plain
        /// A text for people, which may have translations.
        case localized
        /// Yes, no, or a condition.
        case flag
        /// Words `key=value`.
        case parameters
    }

    let name: String
    let kind: Kind
    /// Headers that mean the same, folded as `Header.folded` does.
    let aliases: [String]

    private init(_ name: String, _ kind: Kind = .plain, _ aliases: String...) {
        self.name = name
        self.kind = kind
        self.aliases = aliases
    }

    /// The columns of a question in the order in which JSON and sheets are written.
    static let all = [
        FormColumn("type", .plain, "command"),
        FormColumn("name", .plain, "value", "tag"),
        FormColumn("label", .localized, "caption"),
        FormColumn("hint", .localized),
        FormColumn("guidance_hint", .localized),
        FormColumn("required", .flag, "bind::required"),
        FormColumn(
            "required_message", .localized, "requiredmsg", "bind::jr:requiredmsg",
            "jr:requiredmsg"),
        FormColumn("relevant", .plain, "relevance", "bind::relevant"),
        FormColumn("constraint", .plain, "bind::constraint"),
        FormColumn(
            "constraint_message", .localized, "constraining_message", "constraintmsg",
            "bind::jr:constraintmsg", "jr:constraintmsg"),
        FormColumn("calculation", .plain, "calculate", "bind::calculate"),
        FormColumn("default"),
        FormColumn("read_only", .flag, "readonly", "bind::readonly"),
        FormColumn("appearance", .plain, "body::appearance", "control::appearance"),
        FormColumn("parameters", .parameters),
        FormColumn("choice_filter"),
        FormColumn(
            "repeat_count", .plain, "count", "jr:count", "body::jr:count", "control::jr:count"),
        FormColumn("trigger"),
        FormColumn("save_to", .plain, "bind::entities:saveto"),
        FormColumn("disabled"),
    ]

    /// Pictures and sounds beside a label; JSON has them in `media`.
    static let media = ["image", "big-image", "audio", "video"]

    /// Columns whose second word is free; JSON has them in an object of that name.
    static let open = ["bind": "bind", "body": "body", "control": "body", "instance": "instance"]

    /// Attributes of controls that have columns of their own.
    static let controls = ["intent", "rows", "autoplay"]

    static func named(_ folded: String) -> FormColumn? {
        all.first { $0.name == folded || $0.aliases.contains(folded) }
    }

    /// The columns that may refer to answers.
    static let references: Set<String> = [
        "label", "hint", "guidance_hint", "required", "required_message", "relevant", "constraint",
        "constraint_message", "calculation", "default", "read_only", "choice_filter",
        "repeat_count", "trigger", "parameters", "appearance",
    ]
}

/// The header of a column of any sheet.
struct Header: Hashable {
    /// The meaning of a column.
    enum Meaning: Hashable {
        /// A column of `FormColumn.all`, or of another sheet, by its own name.
        case column(String)
        case media(String)
        /// `bind::x`, `body::x`, `instance::x`.
        case attribute(object: String, name: String)
        /// `shared::x`: what this project adds to XLSForm.
        case extra(String)
        /// Kept under its own header.
        case unknown
    }

    let number: Int
    /// As it is written, without outer spaces.
    let title: String
    let meaning: Meaning
    let language: String?

    var column: FormIssue.Column { FormIssue.Column(number: number, header: title) }

    /// Reads a header of the survey sheet. One colon separates as two do in sheets of old, which
    /// have `label:English` and nowhere `::`.
    init(survey title: String, number: Int, isOld: Bool) {
        self.init(title, number, isOld) { words in
            if let column = FormColumn.named(Header.folded(words.joined(separator: "::"))) {
                return (.column(column.name), words.count)
            }
            let first = Header.folded(words[0])
            if words.count == 1, FormColumn.controls.contains(first) {
                return (.attribute(object: "body", name: first), 1)
            }
            if FormColumn.media.contains(first) { return (.media(first), 1) }
            if first == "media", words.count > 1 { return (.media(Header.folded(words[1])), 2) }
            if words.count > 1,
                let column = FormColumn.named("\(first)::\(Header.folded(words[1]))")
            {
                return (.column(column.name), 2)
            }
            if let object = FormColumn.open[first], words.count > 1 {
                return (.attribute(object: object, name: words[1]), words.count)
            }
            if first == "shared", words.count > 1 { return (.extra(words[1]), 2) }
            if let column = FormColumn.named(first), words.count == 1 || column.kind == .localized {
                return (.column(column.name), 1)
            }
            return nil
        }
    }

    /// Reads a header of the choices sheet.
    init(choices title: String, number: Int, isOld: Bool) {
        self.init(title, number, isOld) { words in
            switch Header.folded(words[0]) {
            case "list_name", "listname": return (.column("list_name"), words.count)
            case "name", "value": return words.count == 1 ? (.column("name"), 1) : nil
            case "label", "caption": return (.column("label"), 1)
            case "media" where words.count > 1: return (.media(Header.folded(words[1])), 2)
            case let word where FormColumn.media.contains(word): return (.media(word), 1)
            default: return nil
            }
        }
    }

    /// Reads a header of a sheet whose columns are plain words.
    init(plain title: String, number: Int, aliases: [String: String] = [:]) {
        let folded = Header.folded(title)
        self.init(title, number, false) { words in
            let isOwn = words.count > 1 && Header.folded(words[0]) == "shared"
            if isOwn, words.count == 2 || words[1] == "title" {
                return (.extra(words[1]), 2)
            }
            return (.column(aliases[folded] ?? folded), words.count)
        }
    }

    private init(
        _ title: String, _ number: Int, _ isOld: Bool,
        _ meaning: (_ words: [String]) -> (Meaning, used: Int)?
    ) {
        self.title = title
        self.number = number
        var words = title.split(separator: "::", omittingEmptySubsequences: false)
        // In old headers `jr:count` and the like stay one word.
        if isOld, words.count == 1 {
            words = title.split(separator: ":", omittingEmptySubsequences: false)
            if let index = words.firstIndex(where: { $0.trimmed == "jr" }), index + 1 < words.count
            {
                words[index] = words[index] + ":" + words.remove(at: index + 1)
            }
        }
        let trimmed = words.map { $0.trimmed }
        guard let (meaning, used) = meaning(trimmed), used >= trimmed.count - 1 else {
            self.meaning = .unknown
            language = nil
            return
        }
        self.meaning = meaning
        language = used < trimmed.count ? trimmed[used] : nil
    }

    /// A header in lower case with `_` between its words.
    static func folded(_ title: String) -> String {
        title.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: "_")
    }
}
