import ShareControl
import ShareCore
import ShareFormats
import ShareStore
import Synchronization

/// Lists, shows, adds and takes away the lists that the forms of a room share.
struct ListsService: Sendable {
    let membership: Membership
    let sealing: Sealing
    let schemas: SchemaCache
    let readers: RoomReaders
    let parallel: ParallelLists

    /// A list as it was sent.
    struct Sent: Sendable {
        let content: ListContent
        /// What can be chosen from it.
        let names: Set<String>
        let note: String?
    }

    /// Rows of one answer.
    static let most = 1_000

    /// - Throws: the disk's error: no list is missing because it cannot be read.
    func lists(_ room: OpenRoom) async throws -> [ListAnswer] {
        let users = await users(in: room)
        let parallel = try await parallel.list(in: room)
        let lists = room.store.lists
        return try lists.checked { lists.all() }.map { list in
            ListAnswer(
                name: list.name, rows: list.rows, columns: list.columns,
                forms: users[Array(list.name.utf8)] ?? [],
                parallel: parallel.first { $0.list.utf8.elementsEqual(list.name.utf8) })
        }
    }

    /// Which lists are not there as one device took them away while another changed them.
    func notices(_ room: OpenRoom) async throws -> [String] {
        try await parallel.list(in: room).filter { $0.inForce.rows == 0 }.map {
            "list \($0.list) was taken away and changed at once: shared status"
        }
    }

    /// The forms that use each list, by the bytes of its name.
    private func users(in room: OpenRoom) async -> [[UInt8]: [String]] {
        var users: [[UInt8]: [String]] = [:]
        for (formID, schema) in await schemas.all(in: room).sorted(by: { $0.key < $1.key }) {
            guard !schema.form.isRepeat else { continue }
            let names = schema.form.fields.compactMap(\.listName)
                .filter { schema.form.list(named: $0) == nil }
            for name in Set(names.map { Array($0.utf8) }) {
                users[name, default: []].append(formID)
            }
        }
        return users
    }

    /// Rows of a list: those that contain a text, those with a text in a column, or the first.
    ///
    /// - Throws: `Problem` of `not_found_list` and `bad_request`; the disk's error.
    func show(
        _ name: String, in room: OpenRoom, search: String?, condition: String?, limit: Int
    ) async throws -> ListRowsAnswer {
        let lists = room.store.lists
        let list = try await find(name, in: room)
        return try lists.checked {
            var (positions, count) = (Array(0..<min(limit, list.rows)), list.rows)
            if let condition {
                let (column, text) = try Self.condition(condition, of: list)
                let found = lists.rows(of: list, where: column, equals: Array(text.utf8))
                (positions, count) = (Array(found.prefix(limit)), found.count)
            } else if let search {
                (positions, count) = lists.search(list, search, limit: limit)
            }
            return ListRowsAnswer(
                name: list.name, columns: list.columns, rows: list.rows, count: count,
                cells: positions.compactMap { position in
                    lists.cells(of: list, row: position)?.map {
                        String(decoding: $0, as: UTF8.self)
                    }
                })
        }
    }

    /// `COLUMN=TEXT`.
    private static func condition(
        _ text: String, of list: RoomList
    ) throws -> (column: Int, text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let column = list.columns.firstIndex(of: String(parts[0])) else {
            throw Problem(
                .badRequest, "where is COLUMN=TEXT, not \"\(text.prefix(80))\"",
                hint: "The columns of \(list.name): \(list.columns.joined(separator: ", ")).")
        }
        return (column, String(parts[1]))
    }

    func find(_ name: String, in room: OpenRoom) async throws -> RoomList {
        let lists = room.store.lists
        let (list, names) = try lists.checked { (lists.list(name), lists.all().map(\.name)) }
        if let list { return list }
        throw Problem(
            .notFoundList, "the room \(room.name) has no list \"\(name.prefix(80))\"",
            hint: Suggestion.hint(
                for: name, among: names,
                otherwise: "Add one: `shared lists add FILE.csv`."))
    }

    // MARK: Changes

    /// Reads the CSV file of a list, as it arrives.
    ///
    /// - Throws: `Problem` of `bad_list` and `too_large`.
    static func read(_ name: String, _ upload: HTTPUpload) async throws -> Sent {
        do {
            var file = try ListFile(name: name)
            var bytes = 0
            for try await piece in upload {
                bytes += piece.count
                guard bytes <= fileBytes else {
                    throw Problem(
                        .tooLarge, "the file is longer than \(fileBytes >> 20) MiB",
                        hint: "Leave out what nobody chooses, or columns that no form uses.")
                }
                try file.read(piece)
            }
            let content = try file.finish()
            return Sent(content: content, names: file.names, note: file.note)
        } catch let error as FormError {
            throw Problem(.badList, error.description, hint: error.hint)
        }
    }

    /// Of a file with several lists one is taken.
    private static let fileBytes = 64 << 20

    /// Puts a list, or a new version of it, into the room's log and offers it to everybody; without
    /// one it takes it away.
    ///
    /// - Parameter isTrial: whether it is only told what that would do.
    /// - Throws: `Problem` of `not_allowed`, `too_many_lists`; `StoreError`.
    func put(
        _ name: String, _ sent: Sent?, in room: OpenRoom, isTrial: Bool
    ) async throws -> ListAddedAnswer {
        let content = sent?.content
        let lists = room.store.lists
        let before = try lists.checked { lists.list(name) }
        var answer = ListAddedAnswer(
            name: name,
            change: content == nil ? "removed" : before == nil ? "added" : "updated",
            rows: content?.rows ?? 0, columns: content?.columns ?? before?.columns ?? [],
            rowsBefore: before?.rows, forms: await users(in: room)[Array(name.utf8)] ?? [],
            warnings: (sent?.note).map { [$0] } ?? [])
        try await requireEditor(of: room)
        let atOnce = try await parallel.of(name, in: room)
        if content != nil, before == nil, await room.store.listCount() >= Limits.listsInForce {
            throw Problem(
                .tooLarge, "the room has \(Limits.listsInForce) lists",
                hint: "Take one away that no form uses: `shared lists remove LIST`.")
        }
        if let content {
            let others = await room.store.listRows(besides: name)
            guard others + content.rows <= Limits.rowsInForce else {
                throw Problem(
                    .tooLarge,
                    "the room's other lists have \(others) rows, and this one \(content.rows):"
                        + " together at most \(Limits.rowsInForce)",
                    hint: "Take one away that no form uses: `shared lists remove LIST`.")
            }
        }
        if let before, let sent,
            let retired = try await retired(from: before, to: sent.names, in: room)
        {
            answer.warnings.append(retired)
        }
        if isTrial {
            let operations = try await room.store.perform { store in
                try store.version(ofList: name, content)
            }
            if operations.isEmpty { answer.change = "unchanged" }
            return answer.telling(atOnce)
        }
        do {
            let batch = try await sealing.control(in: room, as: .editor) { store in
                try store.version(ofList: name, content)
            }
            if batch == nil { answer.change = "unchanged" }
        } catch let error as RoleLost {
            try await membership.requireMember(of: room)
            try await requireEditor(of: room)
            throw error
        }
        return answer.telling(atOnce)
    }

    /// Takes a list away; also one that somebody took away while others changed it, so that it stays
    /// so.
    func remove(_ name: String, in room: OpenRoom) async throws -> ListAddedAnswer {
        let isParallel = try await parallel.of(name, in: room) != nil
        let known = isParallel ? name : try await find(name, in: room).name
        return try await put(known, nil, in: room, isTrial: false)
    }

    private func requireEditor(of room: OpenRoom) async throws {
        try await membership.requireEditor(
            of: room, to: "add or change lists in", hint: "Ask an owner or an editor of the room.")
    }
}

extension ListAddedAnswer {
    /// The same, and whose versions the new one takes the place of.
    fileprivate func telling(_ parallel: ParallelList?) -> ListAddedAnswer {
        guard let parallel, change != "unchanged" else { return self }
        let all = [parallel.inForce] + parallel.others
        let made = all.map { "by \($0.by.name) (\(WallClock.words($0.at)))" }
        var answer = self
        answer.warnings.append(
            "list \(name) was changed at once, \(Sentence.list(made)): this takes the place of"
                + " \(all.count == 2 ? "both" : "all")")
        return answer
    }
}
