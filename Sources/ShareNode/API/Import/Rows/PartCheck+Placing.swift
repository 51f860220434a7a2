import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// An entry with the rows of a file in their places.
extension PartCheck {
    /// Puts rows where they belong, and says how each is called there; nil for one whose parent is not
    /// here.
    func put(_ parts: [Part], into entry: inout RecordRow) -> [RecordName?] {
        var called = [RecordName?](repeating: nil, count: parts.count)
        let places = Dictionary(grouping: parts.indices) { parts[$0].parent }
        func put(_ row: inout RecordRow, _ names: ArraySlice<String>, _ schema: FormSchema) {
            guard let name = names.first, let index = schema.repeat(named: name) else { return }
            let inner = schema.repeats[index]
            while row.repeats.count <= index { row.repeats.append([]) }
            guard names.count == 1 else {
                for position in row.repeats[index].indices {
                    put(&row.repeats[index][position], names.dropFirst(), inner)
                }
                return
            }
            guard let own = places[ParentName(row.name)] else { return }
            var known = Dictionary(
                row.repeats[index].enumerated().map { ($1.name, $0) },
                uniquingKeysWith: { first, _ in first })
            for place in own {
                let part = parts[place]
                if let name = part.name, let position = known[name] {
                    let old = row.repeats[index][position]
                    row.repeats[index][position] = old.with(part.values)
                    called[place] = name
                    continue
                }
                let name =
                    part.name
                    ?? RecordName(
                        form: inner.info.formID, creator: row.name.creator,
                        id: RecordID(high: 0, low: UInt64(part.row)))
                known[name] = row.repeats[index].count
                called[place] = name
                row.repeats[index].append(
                    RecordRow(
                        name: name, created: row.created, updated: row.updated, state: nil,
                        values: inner.info.columns.indices.map { part.values[$0] ?? .absent },
                        repeats: inner.repeats.map { _ in [] }))
            }
        }
        put(&entry, names[...], root)
        return called
    }

    /// Puts the rows of the repeat in the order of their numbers, new ones behind those of the same.
    func sort(
        _ row: inout RecordRow, _ schema: FormSchema, _ names: ArraySlice<String>
    ) {
        guard let name = names.first, let index = schema.repeat(named: name),
            row.repeats.indices.contains(index)
        else { return }
        guard names.count == 1 else {
            for position in row.repeats[index].indices {
                sort(&row.repeats[index][position], schema.repeats[index], names.dropFirst())
            }
            return
        }
        func place(_ row: RecordRow) -> (Int64, Int, RecordID, DeviceKey) {
            var number: Int64 = 1
            if case .integer(let own) = row.values[1] { number = own }
            return (number, row.name.id.isTemporary ? 1 : 0, row.name.id, row.name.creator)
        }
        row.repeats[index].sort { place($0) < place($1) }
    }

    /// Where the rows of the repeat stand.
    static func places(
        in row: RecordRow, _ schema: FormSchema, _ names: ArraySlice<String>
    ) -> [RecordName: [Int]] {
        guard let name = names.first, let index = schema.repeat(named: name),
            row.repeats.indices.contains(index)
        else { return [:] }
        var found: [RecordName: [Int]] = [:]
        for (position, row) in row.repeats[index].enumerated() {
            if names.count == 1 { found[row.name] = [position] }
            for (name, inner) in places(in: row, schema.repeats[index], names.dropFirst()) {
                found[name] = [position] + inner
            }
        }
        return found
    }
}

extension RecordID {
    /// Whether it stands for that of a row that is not written yet.
    fileprivate var isTemporary: Bool { high == 0 }
}

extension RecordRow {
    /// The same with other values.
    fileprivate func with(_ values: [Int: FieldValue]) -> RecordRow {
        RecordRow(
            name: name, created: created, updated: updated, state: state, flag: flag,
            values: self.values.enumerated().map { values[$0.offset] ?? $0.element },
            repeats: repeats)
    }
}
