import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Searches the texts of a room, and lets their index follow its rows: it goes on after a search,
/// and as long as nobody searches nothing is done for it.
actor SearchService {
    private let names: DeviceNames
    private let schemas: SchemaCache
    private let find: FindService
    private let store: NodeStore
    private let log: Log
    private var followers = PerRoom<RowFollower<SearchDerivation>>()
    private var following: Set<RoomID> = []
    /// Rooms of which the log says that their index does not follow.
    private var failing: Set<RoomID> = []

    init(
        names: DeviceNames, schemas: SchemaCache, find: FindService, store: NodeStore, log: Log
    ) {
        self.names = names
        self.schemas = schemas
        self.find = find
        self.store = store
        self.log = log
    }

    /// Hits of each form that are shown, where the request does not say.
    private static let usualHits = 10
    private static let mostHits = 1_000
    /// So many steps are taken before a search, so that the latest entries are mostly in.
    private static let stepsBefore = 2
    /// The index gives way between two steps.
    private static let rest = Duration.milliseconds(20)

    /// What the last searches were, newest first.
    func recent() async throws -> SearchesAnswer {
        SearchesAnswer(searches: try await store.searches())
    }

    /// Forgets them.
    func clear() async throws -> SearchesAnswer {
        try await store.clearSearches()
        return SearchesAnswer(searches: [])
    }

    /// Finds a text in the entries of a room, or of one form.
    ///
    /// - Throws: `Problem` for a text of nothing.
    func search(in room: OpenRoom, _ fields: HTTPFields) async throws -> SearchAnswer {
        let given = fields["text"] ?? ""
        guard let text = SearchText(given) else {
            guard given.allSatisfy(\.isWhitespace) || given.utf8.count <= SearchText.longest else {
                throw Problem(
                    .badRequest,
                    "the text has \(given.utf8.count) bytes; at most \(SearchText.longest) are searched for",
                    hint: "A few words of it are enough.")
            }
            throw Problem(
                .badRequest, "there is nothing to search for",
                hint: "Give some letters, at most 1,024 bytes: `shared search TEXT`.")
        }
        var limit = Self.usualHits
        if let given = fields["limit"] {
            guard let number = Int(given), (1...Self.mostHits).contains(number) else {
                throw Problem(
                    .badRequest, "limit is a number from 1 to \(Self.mostHits)",
                    hint: "Ask for less at a time.")
            }
            limit = number
        }
        let all = await room.store.forms()
        var forms = all
        if let form = fields["form"] { forms = [try await find.schemas.find(form, in: room).info] }
        let follower = follower(of: room)
        var isBehind = true
        for _ in 0..<Self.stepsBefore where isBehind { isBehind = try await follower.step(all) }
        let groups = try await follower.search(text, in: forms, limit: limit)
        if isBehind { goOn(room) }
        try await store.noteSearch(text)
        var answers: [SearchFormAnswer] = []
        for group in groups.sorted(by: { ($1.count, $0.form.formID) < ($0.count, $1.form.formID) })
        where group.count > 0 {
            answers.append(try await answer(group, text, in: room, all))
        }
        return SearchAnswer(
            text: text.text, forms: answers,
            lists: fields["form"] == nil ? try await lists(with: text, in: room, all) : [],
            found: answers.reduce(0) { $0 + $1.found },
            unindexed: groups.reduce(0) { $0 + $1.unindexed },
            unsearched: groups.reduce(0) { $0 + max($1.unindexed - $1.scanned, 0) })
    }

    /// The choices in which a text is found, of lists that views name to be searched.
    private func lists(
        with text: SearchText, in room: OpenRoom, _ forms: [FormInfo]
    ) async throws -> [SearchListAnswer] {
        let setting = await room.store.settings().values["views"] ?? ""
        let views = (try? JSONValue(text: Array(setting.utf8)))?.object?["views"]?.array ?? []
        var answers: [SearchListAnswer] = []
        for view in views.compactMap(\.object) where view["kind"] == "search" {
            guard let name = view["list"]?.string else { continue }
            var groups: [SearchListAnswer.Group] = []
            let found = try room.store.lists.checked {
                choices(of: name, with: text, group: view["group"]?.string, in: room, forms)
            }
            for (label, group) in found {
                if let position = groups.firstIndex(where: { $0.name == group }) {
                    groups[position].choices.append(label)
                } else {
                    groups.append(.init(name: group, choices: [label]))
                }
            }
            guard !groups.isEmpty else { continue }
            let title = view["title"]?.string ?? view["title"]?.object?.members.first?.value.string
            answers.append(SearchListAnswer(list: name, title: title ?? name, groups: groups))
        }
        return answers
    }

    /// The labels of the choices of a list in which a text is found, each with its group; the list
    /// is a form's own, or the room's.
    private func choices(
        of name: String, with text: SearchText, group column: String?, in room: OpenRoom,
        _ forms: [FormInfo]
    ) -> [(label: String, group: String)] {
        let own = forms.lazy.compactMap { self.schemas.schema(of: $0).form.list(named: name) }.first
        if let own {
            return own.choices.compactMap { choice in
                let label = choice.label.text(in: nil) ?? choice.name
                guard text.rank(of: label) != nil || text.rank(of: choice.name) != nil else {
                    return nil
                }
                return (label, choice.columns.first { $0.key == column }?.value.string ?? "")
            }
        }
        let lists = room.store.lists
        guard let list = lists.list(name) else { return [] }
        let labels = list.columns.firstIndex { $0 == "label" || $0.hasPrefix("label::") }
        let group = column.flatMap { list.columns.firstIndex(of: $0) }
        guard let shown = labels ?? list.columns.firstIndex(of: "name") else { return [] }
        return lists.search(list, text.text, limit: Self.mostHits).positions.sorted().compactMap {
            position in
            lists.cells(of: list, row: position).map { cells in
                func text(_ column: Int) -> String {
                    String(decoding: cells[column], as: UTF8.self)
                }
                return (text(shown), group.map(text) ?? "")
            }
        }
    }

    // MARK: The index

    private func follower(of room: OpenRoom) -> RowFollower<SearchDerivation> {
        followers.value(of: room) {
            let schemas = schemas
            return RowFollower(
                path: room.store.path,
                SearchDerivation { form in
                    let texts = SearchedTexts(schemas.schema(of: form))
                    return { texts.all(of: $0).map(\.text) }
                } lists: {
                    schemas.lists(of: $0)
                })
        }
    }

    /// Follows the rows to their end, beside other work.
    private func goOn(_ room: OpenRoom) {
        guard following.insert(room.id).inserted else { return }
        let follower = follower(of: room)
        Task { [weak self] in
            do {
                while try await follower.step(await room.store.forms()) {
                    try await Task.sleep(for: SearchService.rest)
                }
                await self?.end(room.id)
            } catch {
                // The next search tries again, and finds what is not in the index all the same.
                await self?.end(room.id, error)
            }
        }
    }

    private func end(_ room: RoomID, _ error: (any Error)? = nil) {
        following.remove(room)
        guard let error else {
            failing.remove(room)
            return
        }
        // Once: each search would say it again.
        guard failing.insert(room).inserted else { return }
        log.warning(
            "the index of searches does not follow", ["room": room.short, "error": "\(error)"])
    }

    // MARK: Answers

    private func answer(
        _ group: SearchGroup, _ text: SearchText, in room: OpenRoom, _ forms: [FormInfo]
    ) async throws -> SearchFormAnswer {
        let schema = schemas.schema(of: group.form)
        let texts = SearchedTexts(schema)
        let reader =
            group.form.form.isRepeat ? try await find.readers.reader(of: room) : nil
        var hits: [SearchHitAnswer] = []
        for row in group.hits {
            let all = texts.all(of: row)
            // The text that fits best, as the ranking has it.
            let best = all.compactMap { item in
                text.rank(of: item.text).map { (rank: $0, item: item) }
            }.min { $0.rank < $1.rank }?.item
            var key = schema.key(of: row.values)
            // People know a row by the entry that it is in.
            if let entry = try await reader?.entry(above: row, of: group.form, in: forms) {
                key =
                    schemas.schema(of: entry.form).key(of: entry.row.values)
                    ?? String(entry.row.name.id.text.suffix(8))
            }
            hits.append(
                SearchHitAnswer(
                    id: row.name.id.text, key: key ?? "",
                    author: await names.known(row.name.creator) ?? row.name.creator.short,
                    field: best?.field ?? "", label: best?.label ?? "",
                    around: best.map { text.around($0.text, Self.wordsAround) } ?? ""))
        }
        return SearchFormAnswer(
            form: group.form.formID, title: schema.form.displayTitle(), found: group.count,
            isMore: group.hasMore, hits: hits)
    }

    /// Characters that are shown on each side of what was found.
    private static let wordsAround = 30
}

/// The texts of a record that people search in: its texts and whole numbers, and the labels of
/// its choices in all languages.
struct SearchedTexts: Sendable {
    struct Item: Sendable {
        let field: String
        let label: String
        let text: String
    }

    private let schema: FormSchema
    private let isSearched: [Bool]

    init(_ schema: FormSchema) {
        self.schema = schema
        // What the protocol adds to a row, creator and id of its entry, nobody has typed. What an
        // entry is called that is chosen here may change without this one: it is found there.
        isSearched = schema.info.columns.enumerated().map { index, column in
            guard column.field.type == .text || column.field.type == .integer,
                !column.name.hasPrefix("_")
            else { return false }
            return index >= schema.form.stored.count || !schema.holdsEntries(at: index)
        }
    }

    func all(of row: RecordRow) -> [Item] {
        var items: [Item] = []
        let stored = schema.form.stored
        for (position, value) in row.values.enumerated()
        where position < isSearched.count && isSearched[position] && value != .absent {
            let name = schema.info.columns[position].field.name
            guard position < stored.count else {
                items.append(Item(field: name, label: name, text: value.plainText))
                continue
            }
            let label = stored[position].label.text(in: nil) ?? name
            var texts = [schema.parser.label(value, at: position)]
            if stored[position].kind.isChoice {
                for text in [value.plainText] + schema.parser.labels(value, at: position)
                where !texts.contains(text) {
                    texts.append(text)
                }
            }
            items += texts.map { Item(field: name, label: label, text: $0) }
        }
        return items
    }
}
