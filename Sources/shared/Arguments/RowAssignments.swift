internal import JSON
internal import ShareControl

/// Values of fields in repetitions, `person[2]/name=Ami`, as the rows that a request names.
struct RowAssignments {
    private var fields = JSONObject()
    /// By the names of repeats, in the order in which they were given; places count from 0.
    private var repeats: [(name: String, rows: [Int: RowAssignments])] = []
    /// Whether it is a row that goes.
    private var isGone = false

    /// - Parameter text: the path as it was typed.
    /// - Throws: `Problem` with `usage` for a row that is given a value, or taken away and changed.
    mutating func set(_ value: JSONValue, at path: EntryPath, _ text: String) throws(Problem) {
        try set(value, path.parts[...], text)
    }

    private mutating func set(
        _ value: JSONValue, _ parts: ArraySlice<EntryPath.Part>, _ text: String
    ) throws(Problem) {
        guard let part = parts.first else { return }
        if part.place == nil, let bracket = part.name.firstIndex(of: "["),
            Assignments.isPath(part.name)
        {
            let name = Terminal.plain(String(part.name[..<bracket]))
            throw Problem(
                .usage, "\(Terminal.plain(text)) names no row",
                hint: "Rows are numbered from 1, with a stroke before the field:"
                    + " \(name)[1]/FIELD=VALUE.")
        }
        guard parts.count > 1 || part.place != nil else {
            fields[part.name] = value
            return
        }
        guard let place = part.place else {
            // A group, or a repeat without a number: the daemon knows the form, and says which.
            fields[parts.map(\.text).joined(separator: "/")] = value
            return
        }
        let known = repeats.firstIndex { $0.name == part.name }
        if known == nil { repeats.append((part.name, [:])) }
        let index = known ?? repeats.count - 1
        var row = repeats[index].rows[place] ?? RowAssignments()
        if parts.count > 1 {
            try row.set(value, parts.dropFirst(), text)
        } else {
            row.isGone = true
        }
        if row.isGone, parts.count > 1 || value == .null,
            !row.fields.members.isEmpty || !row.repeats.isEmpty
        {
            throw Problem(
                .usage,
                "\(Terminal.plain(part.name))[\(place + 1)] is taken away and changed at once",
                hint: "Do one after the other: the rows behind one that goes move up.")
        }
        guard !row.isGone || row.fields.members.isEmpty && row.repeats.isEmpty && value == .null
        else {
            throw Problem(
                .usage, "\(Terminal.plain(text)) is a row, and has no value of its own",
                hint: "Change a field of it: \(Terminal.plain(text))/FIELD=VALUE; or take the row"
                    + " away: \(Terminal.plain(text))=")
        }
        repeats[index].rows[place] = row
    }

    /// The values, of a row of the store with its rows by their ids.
    ///
    /// - Parameter present: the entry or row as it is; nil for a new one.
    /// - Throws: `Problem` with `usage` for a repetition behind one that there is not: it would make
    ///   empty ones.
    func values(in present: JSONObject?, _ path: String = "") throws(Problem) -> JSONObject {
        var values = fields
        for (name, rows) in repeats {
            let known = present?[name]?.array ?? []
            var made: [JSONValue] = []
            var gone: [JSONValue] = []
            var count = known.count
            for (place, row) in rows.sorted(by: { $0.key < $1.key }) {
                let own = "\(path)\(name)[\(place + 1)]"
                if known.indices.contains(place) {
                    guard let there = known[place].object, let id = there["_id"] else { continue }
                    guard !row.isGone else {
                        gone.append(id)
                        continue
                    }
                    var changed = try row.values(in: there, own + "/")
                    changed["_id"] = id
                    made.append(.object(changed))
                    continue
                }
                guard place == count, !row.isGone else { throw Self.beyond(own, count) }
                count += 1
                made.append(.object(try row.values(in: nil, own + "/")))
            }
            guard present != nil else {
                values[name] = .array(made)
                continue
            }
            var part: JSONObject = ["change": .array(made)]
            if !gone.isEmpty { part["delete"] = .array(gone) }
            values[name] = .object(part)
        }
        return values
    }

    private static func beyond(_ path: String, _ count: Int) -> Problem {
        let rows = count == 0 ? "none" : String(count)
        return Problem(
            .usage, "\(Terminal.plain(path)): there \(count == 1 ? "is" : "are") \(rows) of it",
            hint: "The next one is [\(count + 1)].")
    }
}
