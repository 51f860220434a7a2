package import ShareCore

/// Choices: what they are called, and those that are not offered any more.
extension ValueParser {
    /// The same for who changes a value: choices that it has and that are not offered any more may
    /// stay, and are meant before others that are called so now.
    ///
    /// - Throws: as `value(_:at:)`.
    package func value(
        _ text: String, at position: Int, keeping stored: FieldValue
    ) throws(ValueError) -> FieldValue {
        let kept = notOffered(in: stored, at: position)
        guard !kept.isEmpty, text.utf8.count <= FormLimits.valueBytes else {
            return try value(text, at: position)
        }
        return try value(text, at: position, keeping: kept)
    }

    private func value(
        _ text: String, at position: Int, keeping kept: [String]
    ) throws(ValueError) -> FieldValue {
        var text = text
        let read = text.withUTF8 { utf8 in
            Result { () throws(ValueError) in try readers[position].value(utf8, keeping: kept) }
        }
        return try read.get()
    }

    /// The choices of a value that its field does not offer, by their names.
    package func notOffered(in value: FieldValue, at position: Int) -> [String] {
        let reader = readers[position]
        guard case .text(let text) = value, let choices = reader.choices else { return [] }
        return reader.field.names(in: text).filter { name in
            var name = name
            return name.withUTF8 { choices.name(exactly: $0) } == nil
        }
    }

    /// Whether a value has choices that are not offered any more, and no others of these than the one
    /// that is there.
    package func keeps(_ stored: FieldValue, _ value: FieldValue, at position: Int) -> Bool {
        guard fields[position].kind.isChoice else { return false }
        let names = notOffered(in: value, at: position)
        return !names.isEmpty && Set(names).isSubset(of: notOffered(in: stored, at: position))
    }

    /// The value of choices that have just these names, whether they are offered or not.
    package func named(_ text: String, at position: Int) -> FieldValue? {
        let words =
            fields[position].kind.isSeveral
            ? text.split { $0 == "," || $0.isWhitespace }.joined(separator: " ")
            : ValueReader.trimmed(text)
        return try? value(text, at: position, keeping: .text(words))
    }

    /// The label of a choice (or choices) as people read it, else `text`.
    package func label(
        _ value: FieldValue, at position: Int, language: String? = nil
    ) -> String {
        let reader = readers[position]
        guard case .text(let text) = value, let choices = reader.choices else {
            return self.text(value, at: position)
        }
        let languages = [language, form.defaultLanguage]
        return reader.field.names(in: text).map {
            choices.label(of: $0, in: languages) ?? reader.retired?.label(of: $0, in: languages)
                ?? $0
        }.joined(separator: ", ")
    }

    /// A value of the form's key as people call it: an entry of another form by its name.
    package func called(_ value: FieldValue, at position: Int) -> String {
        fields[position].list?.hasPrefix("@") == true
            ? label(value, at: position) : text(value, at: position)
    }

    /// The label of one choice, by its name; nil where it has none, or the field has no choices.
    package func label(ofChoice name: String, at position: Int) -> String? {
        let reader = readers[position]
        return reader.choices?.label(of: name, in: [form.defaultLanguage])
            ?? reader.retired?.label(of: name, in: [form.defaultLanguage])
    }

    /// The labels of the choices that a value has, in all languages; a choice without one has none.
    package func labels(_ value: FieldValue, at position: Int) -> [String] {
        let reader = readers[position]
        guard case .text(let text) = value, let choices = reader.choices else { return [] }
        return reader.field.names(in: text).flatMap { name in
            let labels = choices.labels(of: name)
            return labels.isEmpty ? reader.retired?.labels(of: name) ?? [] : labels
        }
    }

    /// The choice of a field that was offered before, by its name or label; nil where none was.
    package func retired(_ typed: String, at position: Int) -> String? {
        readers[position].retired?.name(meant: typed)
    }

    /// The value that a text was in an earlier version of the form; nil where it was none.
    package func earlier(_ text: String, at position: Int) -> FieldValue? {
        guard let retired = readers[position].retired else { return nil }
        return try? value(text, at: position, keeping: retired.names)
    }

    /// The value of a choice that is not there any more and that entries may still have: an entry of
    /// another form that was deleted; nil where none is meant.
    package func gone(_ typed: String, at position: Int) -> FieldValue? {
        readers[position].choices?.gone(meant: typed).map { .text($0) }
    }

    /// The choices of a field that were offered before and are called so, by their name or a label,
    /// whatever the case and accents.
    package func retired(called typed: String, at position: Int) -> [String] {
        guard let retired = readers[position].retired else { return [] }
        let wanted = FoldedText.bytes(typed)
        return retired.names(
            containing: FoldedText.fold(typed), limit: FormLimits.choices, fold: FoldedText.fold
        ).filter { name in
            ([name] + retired.labels(of: name)).contains { FoldedText.bytes($0) == wanted }
        }
    }

    /// What people read of the choice that was probably meant, be it offered now or by an earlier
    /// version of the form; nil where none is near.
    package func nearestChoice(to typed: String, at position: Int) -> String? {
        let reader = readers[position]
        let lists: [(any ChoiceLookup)?] = [reader.choices, reader.retired]
        return Suggestion.nearest(
            to: typed,
            among: lists.flatMap { $0?.names(like: typed, in: reader.languages) ?? [] })
    }

    /// Names of the choices of a field that contain a text in their name or a label.
    ///
    /// - Parameter fold: takes case and marks away; the text has none.
    package func choices(
        containing text: String, at position: Int, limit: Int, fold: (String) -> String
    ) -> [String] {
        let reader = readers[position]
        let lists = [reader.choices, reader.retired].compactMap { $0 }
        return Array(
            lists.flatMap { $0.names(containing: text, limit: limit, fold: fold) }.prefix(limit))
    }
}
