package import JSON

/// The body of the state call: the answers that an entry has so far.
package struct EntryStateRequest: Codable, Hashable, Sendable {
    /// Values by field; several choices are a list, a repeat is a list of such objects. Text is
    /// parsed by the field's type.
    package var values: JSONObject
    /// The language of labels and messages; the form's own default without it.
    package var language: String?
    /// The entry that is edited: fields that `values` does not name have its values.
    package var record: String?
    /// The text typed to find a choice, by path of the field.
    package var search: JSONObject?
    /// The path of the question whose answer has just changed: what it triggers is computed anew.
    package var changed: String?

    package init(
        values: JSONObject, language: String? = nil, record: String? = nil,
        search: JSONObject? = nil, changed: String? = nil
    ) {
        self.changed = changed
        self.values = values
        self.language = language
        self.record = record
        self.search = search
    }
}

/// The answer of the state call: what a form makes of the answers so far.
package struct EntryStateAnswer: Codable, Hashable, Sendable {
    package var form: String
    package var version: String
    package var title: String
    /// The language of this answer; empty where the form has plain labels.
    package var language: String
    /// Those that the form has texts in, in its order.
    package var languages: [String]
    /// The name that the entry would have.
    package var instanceName: String?
    /// The answers with defaults and calculations put in, and without those of fields that are not
    /// relevant and of choices that are no longer offered: what to send as `values` next.
    package var values: JSONObject
    /// In the order of the form, repetitions one after the other, also those not relevant now.
    package var fields: [EntryField]
    package var progress: EntryProgress
    /// All of them, in the order of the form; the entry can be saved where there are none.
    package var problems: [EntryProblem]
    /// They stop nothing.
    package var warnings: [EntryWarning]
    /// The entry that is there with the same key, as a sentence, once the key is answered.
    package var duplicate: String?
    /// Values that came under names that the form does not have, by path; `values` has them no
    /// more.
    package var dropped: JSONObject?

    package init(
        form: String, version: String, title: String, language: String, languages: [String],
        instanceName: String?, values: JSONObject, fields: [EntryField], progress: EntryProgress,
        problems: [EntryProblem], warnings: [EntryWarning], dropped: JSONObject? = nil
    ) {
        self.dropped = dropped
        self.form = form
        self.version = version
        self.title = title
        self.language = language
        self.languages = languages
        self.instanceName = instanceName
        self.values = values
        self.fields = fields
        self.progress = progress
        self.problems = problems
        self.warnings = warnings
    }
}

/// One field of an entry in its present state, or a repeat as a whole.
package struct EntryField: Codable, JSONWritable, Hashable, Sendable {
    /// The name, inside repeats after those: `sighting[2]/species`; the first repetition is 1.
    package var path: String
    package var name: String
    /// As in the form: `text`, `select_one`, `note`, `repeat`, …
    package var type: String
    /// With the answers that it names put in.
    package var label: String
    package var hint: String?
    /// For instance `%`.
    package var unit: String?
    /// The labels of the groups around it, outermost first.
    package var group: [String]
    package var isRelevant: Bool
    package var isRequired: Bool
    /// Whether people may only read it: calculations, notes, what the device fills in, and what the
    /// form says.
    package var isReadOnly: Bool
    /// Null without an answer, for a repeat, and while it is not relevant.
    package var value: JSONValue
    /// The value as people read it, where that differs: labels of choices, `70%`.
    package var display: String?
    /// The problem that `problems` has about it, required ones too.
    package var message: String?
    package var warning: String?
    /// Advice on the warning.
    package var tip: String?
    /// For a select: at most `ControlLimits.choices` that can be chosen now and match what was
    /// searched for, in the order of the list.
    package var choices: [EntryChoice]?
    /// All that can be chosen now and match, as far as they were looked for.
    package var choicesTotal: Int?
    /// True where more may match than these: of very many entries not all are looked at.
    package var choicesMore: Bool?
    /// Where nothing can be chosen: the answers that leave nothing, `Region South`.
    package var choicesWith: String?
    /// True where this device is assigned some choices, and offered no others.
    package var choicesAssigned: Bool?
    /// For a repeat.
    package var `repeat`: EntryRepeat?
    /// The answer of an earlier version that an edited entry has in its place, where it has no value.
    package var earlier: Earlier?
    /// The question whose answer in the entry before stands here until there is another one, in a
    /// new entry, where the form says so.
    package var lastSaved: String?
    /// True where its default waits for an answer to a question that it names; null is one.
    package var awaitsDefault: Bool?
    /// True where its value is the form's default, made of other answers: it follows these as long as
    /// it is not sent.
    package var followsAnswers: Bool?

    package struct Earlier: Codable, JSONWritable, Hashable, Sendable {
        package var version: String
        /// As people read it.
        package var value: String

        package init(version: String, value: String) {
            self.version = version
            self.value = value
        }
    }

    package init(
        path: String, name: String, type: String, label: String, hint: String? = nil,
        unit: String? = nil, group: [String] = [], isRelevant: Bool = true,
        isRequired: Bool = false, isReadOnly: Bool = false, value: JSONValue = .null,
        display: String? = nil, message: String? = nil, warning: String? = nil,
        tip: String? = nil, choices: [EntryChoice]? = nil, choicesTotal: Int? = nil,
        choicesMore: Bool? = nil, repeat: EntryRepeat? = nil
    ) {
        self.path = path
        self.name = name
        self.type = type
        self.label = label
        self.hint = hint
        self.unit = unit
        self.group = group
        self.isRelevant = isRelevant
        self.isRequired = isRequired
        self.isReadOnly = isReadOnly
        self.value = value
        self.display = display
        self.message = message
        self.warning = warning
        self.tip = tip
        self.choices = choices
        self.choicesTotal = choicesTotal
        self.choicesMore = choicesMore
        self.repeat = `repeat`
    }
}

/// One choice of a select.
package struct EntryChoice: Codable, JSONWritable, Hashable, Sendable {
    /// The stored value.
    package var name: String
    package var label: String

    package init(name: String, label: String) {
        self.name = name
        self.label = label
    }
}

/// The repetitions of a repeat.
package struct EntryRepeat: Codable, JSONWritable, Hashable, Sendable {
    package var count: Int
    package var min: Int?
    package var max: Int?
    /// False at the maximum, and where the form computes the count.
    package var canAdd: Bool
    /// The places, from 1, of repetitions that are not asked: `values` is without them. Null where
    /// there are none.
    package var leftOut: [Int]?

    package init(
        count: Int, min: Int? = nil, max: Int? = nil, canAdd: Bool, leftOut: [Int]? = nil
    ) {
        self.leftOut = leftOut
        self.count = count
        self.min = min
        self.max = max
        self.canAdd = canAdd
    }
}

/// How far an entry is: of the relevant fields that people fill in.
package struct EntryProgress: Codable, Hashable, Sendable {
    package var answered: Int
    package var relevant: Int

    package init(answered: Int, relevant: Int) {
        self.answered = answered
        self.relevant = relevant
    }
}

/// A reason why an entry cannot be saved as it is.
package struct EntryProblem: Codable, Hashable, Sendable {
    /// The closed set of reasons.
    package enum Kind: String, JSONWord, Hashable, Sendable {
        case required, constraint, type, choice, unknown
        /// It was changed by somebody else since it was seen.
        case changed
    }

    package var path: String
    package var kind: Kind
    /// The form's own message where it has one, in the language of the answer.
    package var message: String
    /// Advice, where the message gives none.
    package var hint: String?
    /// Of a value of another type what is wanted, in words: `a whole number`.
    package var wanted: String?
    /// True where the message is the form's own; else nil.
    package var ownText: Bool?

    package init(
        path: String, kind: Kind, message: String, hint: String? = nil, wanted: String? = nil,
        isOwnText: Bool = false
    ) {
        self.wanted = wanted
        ownText = isOwnText ? true : nil
        self.path = path
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// In one line; a form's own message does not name the field.
    package var line: String {
        EntryProblem.names(path, in: message) ? message : "\(path): \(message)"
    }

    /// Whether a message has the name of a field as a word of its own.
    package static func names(_ path: String, in message: String) -> Bool {
        guard !path.isEmpty else { return true }
        func isEnd(_ character: Character?) -> Bool {
            character.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
        }
        return message.ranges(of: path).contains { range in
            isEnd(message[..<range.lowerBound].last) && isEnd(message[range.upperBound...].first)
        }
    }
}

/// A value that is kept and looks wrong, or something that is not checked here.
package struct EntryWarning: Codable, Hashable, Sendable {
    package var path: String
    package var message: String
    /// Advice on the warning.
    package var tip: String?

    package init(path: String, message: String, tip: String? = nil) {
        self.path = path
        self.message = message
        self.tip = tip
    }

    /// In one line.
    package var line: String {
        let head = EntryProblem.names(path, in: message) ? message : "\(path): \(message)"
        return tip.map { "\(head). \($0)" } ?? head
    }
}
