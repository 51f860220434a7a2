package import ShareCore

/// Turns what people type into values of a form's fields, and values into what they read.
///
/// Fields are named by their place among `fields`: those of `form.stored`, as records name them,
/// where nothing else is said.
package final class ValueParser: Sendable {
    package let form: Form
    package let fields: [Form.Field]
    let readers: [ValueReader]
    private let positions: [[UInt8]: Int]
    /// Places by folded name; -1 where two fold alike.
    private let foldedPositions: [[UInt8]: Int]
    /// Places by folded label, in any language; -1 where two fold alike.
    private let labelledPositions: [[UInt8]: Int]
    /// Places by name without case and marks, in every script; -1 where two are alike.
    private let plainPositions: [[UInt8]: Int]

    /// - Parameter lists: those that lie outside the form.
    package init(
        _ form: Form, fields: [Form.Field]? = nil, lists: (any ChoiceSource)? = nil
    ) {
        self.form = form
        let fields = fields ?? form.stored
        self.fields = fields
        // One index for all fields of a list: lists can be long and fields many.
        var indexes: [[UInt8]: ChoiceIndex] = [:]
        for list in form.lists { indexes[Array(list.name.utf8)] = ChoiceIndex(list) }
        var retired: [Int: ChoiceIndex] = [:]
        for place in fields.compactMap({ form.past.retired($0.name) }) where retired[place] == nil {
            retired[place] = ChoiceIndex(form.past.retiredLists[place])
        }
        readers = fields.map { field in
            ValueReader(
                field, index: field.list.flatMap { indexes[Array($0.utf8)] }, source: lists,
                retired: form.past.retired(field.name).flatMap { retired[$0] },
                isKey: form.isKey(field), languages: [form.defaultLanguage])
        }
        var exact: [[UInt8]: Int] = [:]
        var folded: [[UInt8]: Int] = [:]
        var plain: [[UInt8]: Int] = [:]
        for (place, field) in fields.enumerated() {
            exact[Array(field.name.utf8)] = place
            folded[FormNames.folded(field.name), default: place] =
                folded[FormNames.folded(field.name)] == nil ? place : -1
            let name = FoldedText.bytes(field.name)
            plain[name] = plain[name] == nil ? place : -1
        }
        var labelled: [[UInt8]: Int] = [:]
        for (place, field) in form.stored.enumerated() {
            for label in Set(field.label.texts.map { FormNames.folded($0.text) }) {
                labelled[label, default: place] = labelled[label] == nil ? place : -1
            }
        }
        positions = exact
        foldedPositions = folded
        plainPositions = plain
        labelledPositions = labelled
    }

    private init(_ other: ValueParser, _ reader: (ValueReader) -> ValueReader) {
        form = other.form
        fields = other.fields
        readers = other.readers.map(reader)
        positions = other.positions
        foldedPositions = other.foldedPositions
        labelledPositions = other.labelledPositions
        plainPositions = other.plainPositions
    }

    /// The same that tells faults in a language of the form, where it has texts in it.
    package func told(in language: String) -> ValueParser {
        ValueParser(self) { ValueReader($0, in: [language, self.form.defaultLanguage]) }
    }

    /// The same for a file of which enough is told: it does not look which choice may be meant by each
    /// that is none, which takes longer than all else.
    func withoutHints() -> ValueParser { ValueParser(self) { ValueReader($0, givesHints: false) } }

    /// The place of a field: by its exact name, else by the only one that differs in upper and
    /// lower case (A to Z), else by its label, likewise, else by the only one that differs in case and
    /// accents, in every script.
    ///
    /// - Parameter taken: places of fields that are not meant, as others are called so.
    /// - Throws: `unknownField` with the nearest name, `notStored`.
    package func position(
        of name: String, besides taken: Set<Int> = []
    ) throws(ValueError) -> Int {
        if let place = positions[Array(name.utf8)] { return place }
        let folded = FormNames.folded(name)
        if let place = foldedPositions[folded], place >= 0 { return place }
        if let place = labelledPositions[folded], place >= 0 { return place }
        if let place = plainPositions[FoldedText.bytes(name)], place >= 0 { return place }
        if form.fields.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            throw .notStored(field: name)
        }
        if let inner = form.repeats.first(where: { FormNames.folded($0.name) == folded }) {
            let rows = ([form.formID] + inner.names).joined(separator: "/")
            throw .unknownField(
                name: name, form: form.formID,
                hint: "\(inner.name) is a repeat: its rows are the form \(rows), as in"
                    + " `shared list \(rows)`.")
        }
        throw .unknownField(
            name: name, form: form.formID,
            hint: form.hint(ofPath: name) ?? form.past.hint(named: name, of: form)
                ?? nearest(to: name, besides: taken).map { "Did you mean \($0.shown)?" }
                ?? others(than: taken))
    }

    /// Which fields there are, or, where some are taken, which are left.
    private func others(than taken: Set<Int>) -> String {
        let left = fields.indices.filter { !taken.contains($0) }.map { fields[$0].name }
        guard !taken.isEmpty else {
            return Suggestion.hint(
                for: "", among: left, otherwise: "See `shared form show FORM`.")
        }
        guard !left.isEmpty else { return "Every field of the form has its column." }
        let more = left.count > 12 ? ", ..." : "."
        return "Without a column so far: \(left.prefix(12).joined(separator: ", "))\(more)"
    }

    /// The field whose name, or label in any language, has the words of a text in another order or with
    /// some between them, else the one that is nearest to it, and how to call it; nil where none is
    /// near.
    package func nearest(
        to word: String, besides taken: Set<Int> = []
    ) -> (field: String, shown: String)? {
        let fields = fields.indices.filter { !taken.contains($0) }.map { self.fields[$0] }
        let names = fields.map { (field: $0.name, shown: $0.name, word: $0.name) }
        let labels = fields.flatMap { field in
            field.label.texts.map {
                (
                    field: field.name, shown: "\(field.name) (\(FormReader.shown($0.text)))",
                    word: $0.text
                )
            }
        }
        let known = names + labels
        let words = Self.words(of: word)
        let alike = known.filter { words.count > 1 && words.isSubset(of: Self.words(of: $0.word)) }
        if let first = alike.first, alike.allSatisfy({ $0.field == first.field }) {
            return (first.field, first.shown)
        }
        let nearest = Suggestion.nearest(to: word, among: known.map(\.word))
        return known.first { $0.word == nearest }.map { ($0.field, $0.shown) }
    }

    private static func words(of text: String) -> Set<String> {
        Set(
            FoldedText.fold(text).split { !$0.isLetter && !$0.isNumber }.prefix(64)
                .map(String.init))
    }

    /// The value that `text` spells for the field at `position`; empty text is absent. A text of the
    /// form's key has no space at its ends, so that no two keys look alike.
    ///
    /// - Throws: `wrongType`, `notAChoice`, `tooLong`.
    package func value(_ text: String, at position: Int) throws(ValueError) -> FieldValue {
        var text = text
        let read = text.withUTF8 { utf8 in
            Result { () throws(ValueError) in try value(utf8: utf8, at: position) }
        }
        return try read.get()
    }

    /// The same for UTF-8 text, which the caller has checked.
    package func value(
        utf8: UnsafeBufferPointer<UInt8>, at position: Int
    ) throws(ValueError) -> FieldValue {
        guard utf8.count <= FormLimits.valueBytes else {
            throw .tooLong(
                field: fields[position].name, bytes: utf8.count, limit: FormLimits.valueBytes)
        }
        return try readers[position].value(utf8)
    }

    /// A value that came with a type (from JSON): checked against the field, a whole number
    /// taken for a decimal one, a text read as if typed.
    ///
    /// - Throws: `wrongType`, `notAChoice`.
    package func value(
        _ typed: FieldValue, at position: Int
    ) throws(ValueError) -> FieldValue {
        let reader = readers[position]
        switch (typed, reader.storage) {
        case (.absent, _), (.integer, .integer): return typed
        case (.integer(let whole), .decimal): return .decimal(Double(whole))
        case (.decimal(let number), .decimal) where number.isFinite:
            return .decimal(number == 0 ? 0 : number)
        case (.text(let text), _): return try value(text, at: position)
        case (.integer(let whole), _): throw reader.wrongType(String(whole))
        case (.decimal(let number), _): throw reader.wrongType(number.description)
        }
    }

    /// What people read, and CSV holds: `70%` for 70 where the unit is percent. Absent is "".
    package func text(_ value: FieldValue, at position: Int) -> String {
        let unit = readers[position].field.isPercent ? "%" : ""
        switch value {
        case .absent: return ""
        case .integer(let number): return String(number) + unit
        case .decimal(let number): return NumberText.shortest(number) + unit
        case .text(let text): return text
        }
    }

    /// The first required field without a value; `values` are as many as `form.stored`.
    package func firstMissing(in values: [FieldValue]) -> Int? {
        for (place, field) in form.stored.enumerated() where field.isRequired {
            if values[place] == .absent || values[place] == .text("") { return place }
        }
        return nil
    }

    /// Refuses a new entry that lacks a required field or is too large for a batch.
    ///
    /// - Throws: `required`, for the first one; `tooLong`.
    package func check(_ values: [FieldValue]) throws(ValueError) {
        if let place = firstMissing(in: values) { throw .required(field: form.stored[place].name) }
        try checkSize(values)
    }

    /// Refuses values that are together too large for a batch.
    ///
    /// - Throws: `tooLong`.
    package func checkSize(_ values: [FieldValue]) throws(ValueError) {
        var bytes = 0
        for value in values {
            if case .text(let text) = value { bytes += text.utf8.count } else { bytes += 9 }
        }
        guard bytes <= FormLimits.entryBytes else {
            throw .tooLong(field: nil, bytes: bytes, limit: FormLimits.entryBytes)
        }
    }
}
