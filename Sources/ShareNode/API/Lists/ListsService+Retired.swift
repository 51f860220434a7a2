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
        var holders: [String] = []
        for (formID, schema) in await schemas.all(in: room).sorted(by: { $0.key < $1.key }) {
            for (place, field) in schema.form.stored.enumerated()
            where field.listName == list.name && schema.form.list(named: list.name) == nil {
                let count = try await entries(
                    with: gone, at: place, isSeveral: field.kind.isSeveral, schema, in: room)
                guard count > 0 else { continue }
                let entries = count == 1 ? "1 entry" : "\(count) entries"
                holders.append(
                    "\(entries) of \(formID.prefix { $0 != "/" }) with \(count == 1 ? "it" : "one")"
                        + " in \(field.name)")
            }
        }
        let what = Sentence.list(gone.map { $0.shortened(to: 60) })
        let stay = holders.isEmpty ? "no entry has one" : "\(Sentence.list(holders)) keep it"
        return "\(what) \(gone.count == 1 ? "is" : "are") not in it any more: \(stay)"
    }

    private func entries(
        with choices: [String], at place: Int, isSeveral: Bool, _ schema: FormSchema,
        in room: OpenRoom
    ) async throws -> Int {
        let column = schema.info.columns[place]
        let sought = choices.prefix(Self.mostSought)
        let condition: RecordQuery.Condition =
            isSeveral
            ? .either(sought.map { .chosen(.column(column.name), $0) })
            : .anyOf(.column(column.name), Array(sought))
        return try await readers.reader(of: room).count(
            of: column, in: schema.info, where: condition)
    }
}
