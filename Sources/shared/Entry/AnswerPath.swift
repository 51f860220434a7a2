internal import JSON

/// Where an answer, or a row, lies, by the ids of the rows around it: places change where rows come
/// and go.
struct AnswerPath {
    private let rows: [(repeat: String, id: JSONValue)]
    /// Nil for the last of the rows itself.
    private let name: String?

    /// - Parameters:
    ///   - path: `fever`, `sighting[2]/species`, or `sighting[2]`.
    ///   - values: in which its rows are counted.
    init?(_ path: String, in values: JSONObject) {
        let parts = EntryPath(path).parts
        guard let last = parts.last else { return nil }
        var rows: [(repeat: String, id: JSONValue)] = []
        var object = values
        for part in last.place == nil ? parts.dropLast() : parts[...] {
            guard let list = object[part.name]?.array, let place = part.place,
                list.indices.contains(place), let row = list[place].object, let id = row["_id"]
            else { return nil }
            rows.append((part.name, id))
            object = row
        }
        self.rows = rows
        name = last.place == nil ? last.name : nil
    }

    var isRow: Bool { name == nil }

    /// Where it lies among these values: `sighting[2]`, or `sighting[2]/species`; nil where a row
    /// around it is not there.
    func path(in values: JSONObject) -> String? {
        var parts: [String] = []
        var object = values
        for (name, id) in rows {
            let list = object[name]?.array ?? []
            guard let place = list.firstIndex(where: { $0.object?["_id"] == id }),
                let row = list[place].object
            else { return nil }
            parts.append("\(name)[\(place + 1)]")
            object = row
        }
        return (parts + [name].compactMap(\.self)).joined(separator: "/")
    }

    func value(in values: JSONObject) -> JSONValue? {
        var object = values
        for (name, id) in rows {
            guard
                let row = object[name]?.array?.compactMap(\.object).first(where: { $0["_id"] == id }
                )
            else { return nil }
            object = row
        }
        return name.map { object[$0] } ?? .object(object)
    }

    /// The values with another one here; as they are where there is no such row.
    func setting(_ value: JSONValue?, in values: JSONObject) -> JSONObject {
        setting(value, rows[...], in: values)
    }

    private func setting(
        _ value: JSONValue?, _ rows: ArraySlice<(repeat: String, id: JSONValue)>,
        in values: JSONObject
    ) -> JSONObject {
        var values = values
        guard let outer = rows.first else {
            if let name { values[name] = value }
            return values
        }
        var list = values[outer.repeat]?.array ?? []
        guard let place = list.firstIndex(where: { $0.object?["_id"] == outer.id }),
            let row = list[place].object
        else { return values }
        if rows.count > 1 || !isRow {
            list[place] = .object(setting(value, rows.dropFirst(), in: row))
        } else if let value {
            list[place] = value
        } else {
            list.remove(at: place)
        }
        values[outer.repeat] = .array(list)
        return values
    }

    /// Takes what is there now into what was seen and into one's own answers, wherever these are
    /// the same; rows one by one.
    static func renew(_ seen: inout JSONObject, _ own: inout JSONObject, with now: JSONObject) {
        var names = seen.members.map(\.key)
        for member in now.members where seen[member.key] == nil { names.append(member.key) }
        for name in names {
            let (was, mine, there) = (seen[name], own[name], now[name])
            if (was ?? .null) == (mine ?? .null) {
                seen[name] = there
                own[name] = there
            } else if (mine ?? .null) == (there ?? .null) {
                seen[name] = there
            } else if var rows = was?.array, var ownRows = mine?.array,
                (rows + (there?.array ?? [])).contains(where: { $0.object?["_id"] != nil })
            {
                renew(&rows, &ownRows, with: there?.array ?? [])
                seen[name] = .array(rows)
                own[name] = .array(ownRows)
            }
        }
    }

    private static func renew(
        _ seen: inout [JSONValue], _ own: inout [JSONValue], with now: [JSONValue]
    ) {
        func place(_ id: JSONValue?, _ rows: [JSONValue]) -> Int? {
            id == nil ? nil : rows.firstIndex { $0.object?["_id"] == id }
        }
        for row in now {
            guard let row = row.object, let id = row["_id"] else { continue }
            guard let before = place(id, seen), var was = seen[before].object else {
                seen.append(.object(row))
                // Before those that nobody has saved yet, as it will stand.
                let place = own.firstIndex { $0.object?["_id"] == nil } ?? own.endIndex
                own.insert(.object(row), at: place)
                continue
            }
            guard let here = place(id, own), var mine = own[here].object else {
                // It goes here, with what it has now.
                seen[before] = .object(row)
                continue
            }
            renew(&was, &mine, with: row)
            seen[before] = .object(was)
            own[here] = .object(mine)
        }
        // Those that somebody has deleted, and nobody has changed here.
        for row in seen where place(row.object?["_id"], now) == nil {
            guard let here = place(row.object?["_id"], own), own[here] == row else { continue }
            own.remove(at: here)
            seen.removeAll { $0 == row }
        }
    }
}
