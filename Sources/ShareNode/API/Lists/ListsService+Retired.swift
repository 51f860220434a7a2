import ShareCore
import ShareFormats
import ShareStore

/// Choices that a list has and a new version of it has not.
extension ListsService {
    /// Choices that are looked for in entries.
    private static let mostSought = 1_000

    /// Says which choices a new version of a list leaves out, and how many entries have one.
    ///
    /// - Parameter names: the choices that it has.
    /// - Returns: nil where it leaves out none.
    func retired(
        from list: RoomList, to names: Set<String>, in room: OpenRoom
    ) async throws -> String? {
        guard let column = list.columns.firstIndex(of: "name") else { return nil }
        let lists = room.store.lists
        let gone = try lists.checked {
            var gone: [String] = []
            var known = names
            for position in 0..<list.rows {
                guard let cells = lists.cells(of: list, row: position) else { continue }
                let name = String(decoding: cells[column], as: UTF8.self)
                if known.insert(name).inserted { gone.append(name) }
            }
            return gone
        }
        guard !gone.isEmpty else { return nil }
        let reader = try await readers.reader(of: room)
        var holders: [String] = []
        for (formID, schema) in await schemas.all(in: room).sorted(by: { $0.key < $1.key }) {
            for (place, field) in schema.form.stored.enumerated()
            where field.listName == list.name && schema.form.list(named: list.name) == nil {
                let count = try await schema.entries(
                    with: Array(gone.prefix(Self.mostSought)), at: place, reader)
                guard count > 0 else { continue }
                let entries = count == 1 ? "1 entry" : "\(count) entries"
                let form = FormDefinition.outermostForm(of: formID)
                holders.append(
                    "\(entries) of \(form) with \(count == 1 ? "it" : "one")"
                        + " in \(field.name)")
            }
        }
        let what = Sentence.list(gone.map { $0.shortened(to: 60) })
        let stay = holders.isEmpty ? "no entry has one" : "\(Sentence.list(holders)) keep it"
        return "\(what) \(gone.count == 1 ? "is" : "are") not in it any more: \(stay)"
    }
}

extension FormSchema {
    /// How many entries have one of these choices in a field, by its place in `form.stored`; of a
    /// repeat, in a row.
    func entries(
        with choices: [String], at place: Int, _ reader: RoomReader
    ) async throws -> Int {
        let column = info.columns[place]
        let condition: RecordQuery.Condition =
            isSeveral(place)
            ? .either(choices.map { .chosen(.column(column.name), $0) })
            : .anyOf(.column(column.name), choices)
        return try await reader.count(of: column, in: info, where: condition)
    }
}
