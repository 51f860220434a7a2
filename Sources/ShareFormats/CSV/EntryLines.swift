internal import JSON
internal import ShareCore

/// Reads the entries of a form, or the rows that one of its repeats has in them, from JSON: an
/// object a line, a list of objects, or the features of a GeoJSON document.
///
/// What an entry with an `_id` says is taken as it was stored, and checked by its type alone: so
/// what was exported comes back to the bit. Without an `_id` texts are read as if typed.
package struct EntryLines: EntryReading {
    private enum Layout { case lines, list, document }

    private let parser: ValueParser
    private let earlier: Set<String>
    private let keepsGood: Bool
    /// The names of the repeats from the outermost down to the one whose rows are wanted.
    private let path: [String]
    /// By the bytes of names: two that differ in normalisation alone are two fields.
    private let positionsByName: [[UInt8]: Int]
    private var layout: Layout?
    private var splitter = JSONArraySplitter()
    private var rest: [UInt8] = []
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
        case .lines:
            var start = 0
            while let end = rest[start...].firstIndex(of: 0x0A) {
                take(rest[start..<end], body)
                start = end + 1
            }
            rest.removeFirst(start)
        case .list: split(body)
        case .document: break
        }
        if rest.count > EntryLines.longestEntry { fail("it is longer than 16 MiB") }
    }

    package mutating func finish(_ body: (ImportedEntry) -> Void) {
        guard !hasFailed else { return }
        switch layout {
        case .lines: take(rest[...], body)
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
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        guard let first = rest.first(where: { $0 > 0x20 }) else { return nil }
        if first == UInt8(ascii: "[") {
            layout = .list
        } else {
            // An object of an entry has fields; a document says of which type it is.
            let head = String(decoding: rest.prefix(4_096), as: UTF8.self).filter { $0 != " " }
            layout = head.contains("\"type\":\"FeatureCollection\"") ? .document : .lines
        }
        return layout
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

    private mutating func document(_ body: (ImportedEntry) -> Void) {
        let features: [JSONValue]
        do {
            features = try JSONValue(text: rest).object?["features"]?.array ?? []
        } catch {
            return fail("\(error)")
        }
        let field = parser.form.stored.first { $0.kind.isPlace }?.name
        for feature in features {
            line += 1
            guard let object = feature.object else { continue }
            var properties = object["properties"]?.object ?? JSONObject()
            if let field, properties[field] == nil,
                let point = GeoPoints.text(ofGeometry: object["geometry"]?.object)
            {
                properties[field] = .string(point)
            }
            take(properties, Array(JSONValue.object(properties).text)[...], body)
        }
    }

    private mutating func fail(_ reason: String) {
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
                report(nil, "it is no object", "For instance {\"name\": \"Anna\", \"age\": 30}.")
                return putAside(bytes)
            }
            take(object, bytes, body)
        } catch {
            report(nil, "\(error)", "JSON is one object a line, or a list of objects.")
            rowCount += 1
            putAside(bytes)
        }
    }

    private mutating func take(
        _ object: JSONObject, _ bytes: ArraySlice<UInt8>, _ body: (ImportedEntry) -> Void
    ) {
        let before = problemCount
        for var entry in rows(of: object, path[...], in: nil) {
            if keepsGood { entry.raw = bytes + [0x0A] }
            body(entry)
        }
        if problemCount > before { putAside(bytes) }
    }

    private mutating func putAside(_ bytes: ArraySlice<UInt8>) {
        badRowCount += 1
        guard keepsGood else { return }
        badRows.append((max(1, line), bytes + [0x0A]))
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
        guard let inner = object[name]?.array, !inner.isEmpty else { return [] }
        guard let id else {
            reportMissingID(of: name, in: nil)
            return []
        }
        return inner.enumerated().flatMap { index, row in
            guard let row = row.object else { return [ImportedEntry]() }
            return rows(of: row, path.dropFirst(), in: id, index: index + 1)
        }
    }

    /// Refuses rows that could not be taken when their entry is there: those that belong to what has
    /// no id.
    private mutating func requireIDs(_ object: JSONObject, _ path: [String] = []) {
        for one in parser.form.repeats
        where one.names.count == path.count + 1 && one.names.starts(with: path) {
            guard let rows = object[one.name]?.array, !rows.isEmpty else { continue }
            if object["_id"]?.string == nil { reportMissingID(of: one.name, in: path.last) }
            for row in rows {
                guard let row = row.object else { continue }
                _ = id(of: row)
                requireIDs(row, one.names)
            }
        }
    }

    private mutating func reportMissingID(of name: String, in row: String?) {
        report(
            "_id",
            "rows of \(name) belong to \(row.map { "a row of \($0)" } ?? "an entry") without an _id",
            "Give it one: a UUID of its own.")
    }

    private mutating func id(of object: JSONObject) -> RecordID? {
        guard let text = object["_id"]?.string else { return nil }
        let id = RecordID(text: text)
        if id == nil {
            report(
                "_id", "\"\(FormReader.shown(text))\" is not the id of an entry",
                "Leave it out to add a new entry.")
        }
        return id
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
            given = .text(elements.compactMap(\.string).joined(separator: " "))
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
            elements.compactMap(\.string).joined(separator: ",")
        default: nil
        }
    }

    private mutating func report(_ column: String?, _ reason: String, _ hint: String) {
        found.add(ImportProblem(line: max(1, line), column: column, reason: reason, hint: hint))
    }
}
