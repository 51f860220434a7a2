internal import JSON
internal import ShareCore

/// Reads the entries of a form, or the rows that one of its repeats has in them, from JSON: an
/// object a line, a list of objects, or the features of a GeoJSON document.
///
/// What an entry with an `_id` says is taken as it was stored, and checked by its type alone: so
/// what was exported comes back to the bit. Without an `_id` texts are read as if typed.
package struct EntryLines: EntryReading {
    private enum Layout { case lines, list, document }

    private(set) var parser: ValueParser
    /// Choices that are none whose problem came with a hint that was looked for.
    private var hints = 0
    private let earlier: Set<String>
    private let keepsGood: Bool
    /// The names of the repeats from the outermost down to the one whose rows are wanted.
    private let path: [String]
    /// By the bytes of names: two that differ in normalisation alone are two fields.
    private let positionsByName: [[UInt8]: Int]
    private var layout: Layout?
    private var splitter = JSONArraySplitter()
    /// Says what kind of file it is, of what was looked at so far.
    private var firstObject = FirstObject()
    private var lookedAt = 0
    private(set) var rest: [UInt8] = []
    private var line = 0
    private var hasFailed = false
    package let guess = HabitGuess()
    package func title(ofField name: String) -> String? { nil }
    package private(set) var unread: [String: Int] = [:]

    package let positions: [Int]?
    package let namesRecords = true
    package private(set) var found = ImportProblems()
    package private(set) var badRowCount = 0
    package let header: [UInt8] = []
    package private(set) var badRows: [(line: Int, raw: [UInt8])] = []
    package private(set) var rowCount = 0

    /// Bytes of one entry with its rows, and of a GeoJSON document, which is held as a whole.
    private static let longestEntry = 16 << 20

    /// - Parameter earlier: columns of fields that the form does not have any more, which an
    ///   export takes along; they are not read.
    package init(_ parser: ValueParser, keepsGood: Bool = false, earlier: Set<String> = []) {
        self.parser = parser
        self.keepsGood = keepsGood
        self.earlier = earlier
        path = parser.form.formID.split(separator: "/").dropFirst().map(String.init)
        var positionsByName: [[UInt8]: Int] = [:]
        let own = path.isEmpty ? 0 : FormDefinition.repeatFields.count
        for (position, field) in parser.form.stored.enumerated() where position >= own {
            positionsByName[Array(field.name.utf8)] = position
        }
        self.positionsByName = positionsByName
        positions = Array(parser.form.stored.indices)
    }

    // MARK: Pieces

    package mutating func read(_ bytes: [UInt8], _ body: (ImportedEntry) -> Void) {
        guard !hasFailed else { return }
        rest += bytes
        guard let layout = layout ?? begin() else { return }
        switch layout {
        case .lines: lines(body)
        case .list: split(body)
        case .document: break
        }
        if rest.count > EntryLines.longestEntry { fail("it is longer than 16 MiB") }
    }

    package mutating func finish(_ body: (ImportedEntry) -> Void) {
        guard !hasFailed else { return }
        // An object that has no end is wrong as a line.
        if layout == nil, rest.contains(where: { $0 > 0x20 }) { layout = .lines }
        switch layout {
        case .lines:
            lines(body)
            take(rest[...], body)
        case .list where !splitter.isComplete: fail("the list has no end")
        case .list: break
        case .document: document(body)
        case nil: fail("the file is empty")
        }
        rest = []
    }

    package mutating func takeBadRows() -> [(line: Int, raw: [UInt8])] {
        defer { badRows = [] }
        return badRows
    }

    /// Finds out what kind of file it is; nil where more bytes are needed.
    private mutating func begin() -> Layout? {
        if lookedAt == 0, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        guard let first = rest.first(where: { $0 > 0x20 }) else { return nil }
        if first == UInt8(ascii: "[") {
            layout = .list
        } else {
            let isDocument = firstObject.isCollection(rest[lookedAt...])
            lookedAt = rest.count
            layout = isDocument.map { $0 ? .document : .lines }
            if layout == nil, rest.count > EntryLines.longestEntry { layout = .lines }
        }
        return layout
    }

    private mutating func lines(_ body: (ImportedEntry) -> Void) {
        var start = 0
        while let end = rest[start...].firstIndex(of: 0x0A) {
            take(rest[start..<end], body)
            start = end + 1
        }
        rest.removeFirst(start)
    }

    private mutating func split(_ body: (ImportedEntry) -> Void) {
        var elements: [[UInt8]] = []
        do {
            try rest.withUnsafeBytes { bytes in
                try splitter.append(bytes) { elements.append($0) }
            }
        } catch {
            fail("\(error)")
        }
        rest = []
        for element in elements { take(element[...], body) }
    }

    mutating func fail(_ reason: String) {
        hasFailed = true
        report(
            nil, reason, "JSON is one object a line, a list of objects, or a GeoJSON document.")
    }

    // MARK: One entry

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ body: (ImportedEntry) -> Void) {
        line += 1
        guard !hasFailed, bytes.contains(where: { $0 > 0x20 }) else { return }
        do {
            guard let object = try JSONValue(text: Array(bytes)).object else {
                return refuse(
                    bytes, "it is no object", "For instance {\"name\": \"Anna\", \"age\": 30}.")
            }
            take(object, bytes, body)
        } catch {
            refuse(bytes, "\(error)", "JSON is one object a line, or a list of objects.")
        }
    }

    /// Refuses what is no entry at all.
    mutating func refuse(_ bytes: ArraySlice<UInt8>, _ reason: String, _ hint: String) {
        report(nil, reason, hint)
        rowCount += 1
        putAside(bytes, rows: 1)
    }

    /// Takes an entry, with its rows, on or puts it aside.
    ///
    /// - Parameter fault: what is wrong with it beside what it says.
    mutating func take(
        _ object: JSONObject, _ bytes: ArraySlice<UInt8>, besides fault: ImportProblem? = nil,
        _ body: (ImportedEntry) -> Void
    ) {
        let (before, rowsBefore) = (problemCount, rowCount)
        if let fault { found.add(fault) }
        var entries = rows(of: object, path[...], in: nil)
        if problemCount > before {
            if rowCount == rowsBefore { rowCount += 1 }
            // Of a line that is put aside nothing is taken: once it is mended all of it comes again. An
            // entry that is wrong is counted here, and not once more by what looks at it next.
            if keepsGood || path.isEmpty { entries = [] }
            putAside(bytes, rows: max(1, rowCount - rowsBefore - entries.count))
        }
        for var entry in entries {
            if keepsGood { entry.raw = raw(bytes) }
            body(entry)
        }
    }

    private mutating func putAside(_ bytes: ArraySlice<UInt8>, rows: Int) {
        badRowCount += rows
        guard keepsGood else { return }
        badRows.append((max(1, line), raw(bytes)))
    }

    /// An entry as it was, in one line: no text of JSON has a line break in it.
    private func raw(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard layout == .list else { return bytes + [0x0A] }
        return bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + [0x0A]
    }

    /// The entry itself, or the rows of the repeat that is wanted.
    private mutating func rows(
        of object: JSONObject, _ path: ArraySlice<String>, in parent: RecordID?, index: Int = 1
    ) -> [ImportedEntry] {
        let id = self.id(of: object)
        guard let name = path.first else {
            rowCount += 1
            return entry(object, id, in: parent, index: index).map { [$0] } ?? []
        }
        let inner = rows(of: object, in: name)
        guard let id else {
            rowCount += inner.count
            if !inner.isEmpty, Self.hasNoID(object) { reportMissingID(of: name, in: nil) }
            return []
        }
        return inner.enumerated().flatMap { index, row in
            guard let row else {
                rowCount += 1
                return [ImportedEntry]()
            }
            return rows(of: row, path.dropFirst(), in: id, index: index + 1)
        }
    }

    private mutating func entry(
        _ object: JSONObject, _ id: RecordID?, in parent: RecordID?, index: Int
    ) -> ImportedEntry? {
        let before = problemCount
        let fields = parser.form.stored
        var values = [FieldValue](repeating: .absent, count: fields.count)
        var said = [Bool](repeating: false, count: fields.count)
        var doubts: [ImportedEntry.Doubt] = []
        var texts: [Int: String] = [:]
        for member in object.members {
            if let position = positionsByName[Array(member.key.utf8)] {
                said[position] = true
                do throws(ValueError) {
                    values[position] = try value(member.value, at: position, isStored: id != nil)
                    if id != nil, let error = notOffered(values[position], at: position) {
                        let problem = ImportProblem(
                            line: line, column: member.key, reason: error.description,
                            hint: error.hint)
                        doubts.append(ImportedEntry.Doubt(field: position, problem: problem))
                    }
                } catch {
                    if error.code == "unknown_choice" {
                        hints += 1
                        if hints == CSVLimits.hints { parser = parser.withoutHints() }
                    }
                    guard error.candidates != nil, let typed = typed(member.value, at: position)
                    else {
                        report(member.key, error.description, error.hint)
                        continue
                    }
                    // With the other answers it may be clear which one is meant.
                    values[position] = .text(typed)
                    texts[position] = typed
                    let problem = ImportProblem(
                        line: line, column: member.key, reason: error.description, hint: error.hint)
                    doubts.append(ImportedEntry.Doubt(field: position, problem: problem))
                }
            } else if earlier.contains(member.key) {
                if member.value != .null { unread[member.key, default: 0] += 1 }
            } else if id != nil, isOfAnotherForm(member.key, in: object) {
                if member.value != .null { unread[member.key, default: 0] += 1 }
            } else if !isKnown(member.key) {
                let hint = Suggestion.hint(
                    for: member.key, among: fields.map(\.name),
                    otherwise: "See `shared form show FORM`.")
                let error = ValueError.unknownField(
                    name: member.key, form: parser.form.formID, hint: hint)
                report(member.key, error.description, error.hint)
            }
        }
        if path.isEmpty {
            if let state = object["_state"]?.string, !state.isEmpty, state != "withheld" {
                unread["_state", default: 0] += 1
            }
            requireIDs(object)
        } else {
            var number = Int64(index)
            if case .integer(let given)? = object["_index"], given > 0 { number = given }
            values[1] = .integer(number)
        }
        if id == nil {
            for (position, field) in fields.enumerated()
            where field.isRequired && values[position] == .absent {
                report(field.name, ValueError.required(field: field.name).description, "Give it.")
            }
        }
        do throws(ValueError) { try parser.checkSize(values) } catch {
            report(nil, error.description, error.hint)
        }
        guard problemCount == before else { return nil }
        var entry = ImportedEntry(
            line: line, id: id, isNamedByKey: id != nil,
            author: path.isEmpty ? object["_author"]?.string : nil,
            updated: path.isEmpty ? object["_updated"]?.string : nil, parentKey: parent,
            values: values)
        if path.isEmpty, id == nil { entry.said = said }
        entry.doubts = doubts
        entry.texts = texts
        return entry
    }

    /// What is wrong with choices that are taken as they were stored; nil for entries, which may come
    /// after those that name them.
    private func notOffered(_ value: FieldValue, at position: Int) -> ValueError? {
        let field = parser.form.stored[position]
        guard field.kind.isChoice, field.listName?.utf8.first != UInt8(ascii: "@"),
            let name = parser.notOffered(in: value, at: position).first
        else { return nil }
        let hint = "To keep it as it was stored: --as-kept"
        return parser.retired(name, at: position) == nil
            ? .notAChoice(field: field.name, got: name, hint: hint)
            : .retired(
                field: field.name, choice: parser.label(.text(name), at: position), hint: hint)
    }

    /// Whether a line that was exported has a field that this form never had, of another room's
    /// version of it: no such line has it by mistake for a field that it lacks.
    private func isOfAnotherForm(_ name: String, in object: JSONObject) -> Bool {
        guard !isKnown(name) else { return false }
        // Of two letters each is near to any other.
        guard name.utf8.count > 2 else { return true }
        let lacking = parser.form.stored.map(\.name).filter { object[$0] == nil }
        return Suggestion.nearest(to: name, among: lacking) == nil
    }

    /// Names that an export writes beside the fields of the form in force.
    private func isKnown(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_")
            || parser.form.repeats.contains { $0.name == name }
    }

    private func value(
        _ json: JSONValue, at position: Int, isStored: Bool
    ) throws(ValueError) -> FieldValue {
        let field = parser.form.stored[position]
        let storage = field.storage ?? .text
        let given: FieldValue
        switch json {
        case .null: return .absent
        case .integer(let number):
            given = storage == .decimal ? .decimal(Double(number)) : .integer(number)
        case .double(let number): given = .decimal(number == 0 ? 0 : number)
        case .string(let text): given = .text(text)
        case .array(let elements) where field.kind.isSeveral:
            guard let names = Self.names(elements) else {
                throw .wrongType(
                    field: field.name, label: nil, wanted: "names of choices", got: "other values",
                    hint: "For instance [\"red\", \"blue\"].")
            }
            given = .text(names.joined(separator: " "))
            if !isStored, let typed = typed(json, at: position) {
                return try parser.value(typed, at: position)
            }
        case .bool, .array, .object:
            throw .wrongType(
                field: field.name, label: nil, wanted: field.kind.name, got: json.kind,
                hint: "Give it as text or as a number.")
        }
        return isStored && storage.accepts(given) ? given : try parser.value(given, at: position)
    }

    /// Choices as people type them; nil for what is none.
    private func typed(_ json: JSONValue, at position: Int) -> String? {
        switch json {
        case .string(let text): text
        case .array(let elements) where parser.form.stored[position].kind.isSeveral:
            Self.names(elements)?.joined(separator: ",")
        default: nil
        }
    }

    /// The names of choices, which may be numbers; nil where something else is among them.
    private static func names(_ elements: [JSONValue]) -> [String]? {
        let names = elements.compactMap { element -> String? in
            switch element {
            case .string(let name): name
            case .integer(let number): String(number)
            default: nil
            }
        }
        return names.count == elements.count ? names : nil
    }

    mutating func report(_ column: String?, _ reason: String, _ hint: String) {
        found.add(problem(column, reason, hint))
    }

    func problem(_ column: String?, _ reason: String, _ hint: String) -> ImportProblem {
        ImportProblem(line: max(1, line), column: column, reason: reason, hint: hint)
    }

    mutating func beginFeature() { line += 1 }
}
