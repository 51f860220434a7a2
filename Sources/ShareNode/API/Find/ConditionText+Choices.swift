import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Conditions on choices: those that a field offers, and those that entries have from an earlier
/// version of the form, or of a list of the room, and that are called so too.
extension ConditionText {
    /// Orders of a ranking that may be meant, at most.
    private static let orderLimit = 64
    /// Choices of which one or another is looked for, each by a condition of its own.
    private static let eitherLimit = 100

    /// `FIELD=CHOICE`; of several choices those with all that are named, whatever else they have; of
    /// a ranking just this one. `FIELD!=CHOICE`: all others.
    ///
    /// - Throws: `ValueError` for a choice that nobody offers or has.
    func choices(
        _ text: String, _ comparison: Comparison, _ subject: RecordQuery.Subject, _ index: Int
    ) async throws -> [Condition] {
        let field = schema.form.stored[index]
        let words = try await words(text, subject, index)
        if field.kind == .rank || field.kind == .rankFromFile {
            let orders = words.reduce([[]]) { orders, names in
                orders.prefix(Self.orderLimit).flatMap { order in names.map { order + [$0] } }
            }
            return Self.oneOf(
                orders.prefix(Self.orderLimit).map { $0.joined(separator: " ") }, comparison,
                subject)
        }
        guard field.kind.isSeveral else {
            return Self.oneOf(words.first ?? [], comparison, subject)
        }
        guard comparison == .unequal else { return words.map { Self.chosen($0, subject) } }
        let all = words.map { names in
            let any = names.map { name in
                let mark = name.contains("'") ? "\"" : "'"
                return "selected(${\(field.name)}, \(mark)\(name)\(mark))"
            }
            return "(\(any.joined(separator: " or ")))"
        }
        return [.expression(try expression("not(\(all.joined(separator: " and ")))"))]
    }

    /// `FIELD~TEXT`: the choice, among several too, or all of which this is part of the name or a label.
    func choices(
        containing text: String, _ subject: RecordQuery.Subject, _ index: Int
    ) async throws -> [Condition] {
        let isSeveral = schema.form.stored[index].kind.isSeveral
        if isSeveral, let words = try? await words(text, subject, index) {
            return words.map { Self.chosen($0, subject) }
        }
        let limit = isSeveral ? Self.eitherLimit : 1_000
        let meant = schema.parser.choices(
            containing: FoldedText.fold(text), at: index, limit: limit + 1, fold: FoldedText.fold)
        guard !meant.isEmpty, meant.count <= limit else { return [.contains(subject, text)] }
        let offered = isSeveral ? Self.chosen(meant, subject) : .anyOf(subject, meant)
        // Of a list of the room it is not known what it had before.
        return isOfRoom(index) ? [.either([offered, .contains(subject, text)])] : [offered]
    }

    private static func chosen(_ names: [String], _ subject: RecordQuery.Subject) -> Condition {
        names.count == 1
            ? .chosen(subject, names[0]) : .either(names.map { .chosen(subject, $0) })
    }

    private static func oneOf(
        _ texts: [String], _ comparison: Comparison, _ subject: RecordQuery.Subject
    ) -> [Condition] {
        guard comparison != .unequal, texts.count > 1 else {
            return texts.map { .compare(subject, comparison, .text($0)) }
        }
        return [.anyOf(subject, texts)]
    }

    private func isOfRoom(_ index: Int) -> Bool {
        guard let list = schema.form.stored[index].listName else { return false }
        return schema.form.list(named: list) == nil && !schema.holdsEntries(at: index)
    }

    /// For each choice that is named the names of those that are called so.
    private func words(
        _ text: String, _ subject: RecordQuery.Subject, _ index: Int
    ) async throws -> [[String]] {
        guard schema.form.stored[index].kind.isSeveral else {
            return [try await choices(called: text, subject, index)]
        }
        let isListed = text.utf8.contains(UInt8(ascii: ","))
        // A label may have spaces in it.
        if !isListed, let whole = try? await choices(called: text, subject, index) {
            return [whole]
        }
        let parts = text.split { isListed ? $0 == "," : $0.isWhitespace }.map(String.init)
            .filter { !$0.allSatisfy(\.isWhitespace) }
        guard parts.count <= ControlLimits.conditions else {
            throw ValueError.tooManyChoices(field: schema.form.stored[index].name)
        }
        var words: [[String]] = []
        for part in parts { words.append(try await choices(called: part, subject, index)) }
        return words
    }

    /// The names of the choices that are called so: that which is offered, those of earlier versions
    /// of the form, and that of an earlier list which entries have.
    private func choices(
        called typed: String, _ subject: RecordQuery.Subject, _ index: Int
    ) async throws -> [String] {
        let isSeveral = schema.form.stored[index].kind.isSeveral
        var all: [String] = []
        var wrong: ValueError?
        do throws(ValueError) {
            // With a comma it is one of several, whatever spaces it has.
            let text = isSeveral ? typed + "," : typed
            if case .text(let name) = try schema.parser.value(text, at: index) { all = [name] }
        } catch {
            // Whoever looks for several that are called so finds all of them.
            if !schema.holdsEntries(at: index), let candidates = error.candidates {
                all = candidates.joined().first { !$0.isEmpty } ?? []
            }
            wrong = error
        }
        let earlier =
            schema.parser.retired(called: typed, at: index)
            + [schema.parser.retired(typed, at: index)].compactMap(\.self)
        for name in earlier where !all.contains(name) { all.append(name) }
        if all.isEmpty || isOfRoom(index), !all.contains(typed),
            try await isStored(
                isSeveral ? .chosen(subject, typed) : .compare(subject, .equal, .text(typed)))
        {
            all.append(typed)
        }
        if all.isEmpty, case .text(let gone)? = schema.parser.gone(typed, at: index) {
            all.append(gone)
        }
        if all.isEmpty, let wrong { throw hinting(wrong, typed, index) }
        return all
    }

    /// Entries may have what is not offered any more: it may be meant as well.
    private func hinting(_ wrong: ValueError, _ typed: String, _ index: Int) -> ValueError {
        guard case .notAChoice(let field, let got, _) = wrong,
            let near = schema.parser.nearestChoice(to: typed, at: index)
        else { return wrong }
        return .notAChoice(field: field, got: got, hint: "Did you mean \(near)?")
    }
}
