import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore
import Synchronization

/// Entries on their way into files.
struct ExportService: Sendable {
    let requests: Requests
    let find: FindService
    let records: RecordsService

    /// The formats, by the names that requests have for them.
    enum Format: String, CaseIterable { case csv, json, ndjson, geojson }

    /// The entries that a request wants, as a document that is written while they are read.
    ///
    /// - Throws: `Problem`, `ValueError`.
    func export(_ formID: String, in room: OpenRoom, _ request: HTTPRequest) async throws
        -> HTTPResponse
    {
        var response = try await document(formID, in: room, request)
        // What is passed on leaves out, unsaid, what nobody has settled.
        let conflicts = formID.contains("/") ? 0 : try await room.store.counts().conflicts
        if conflicts > 0 {
            response.headers += HTTPResponse.headers([
                "\(conflicts == 1 ? "1 conflict" : "\(conflicts) conflicts") in the room, perhaps of"
                    + " entries that are not in this file: of those that are the values that show are"
                    + " written, and entries that somebody deleted are left out, also where another"
                    + " has changed them: shared conflicts"
            ])
        }
        if let told = try await changedSinceReview(formID, in: room, request) {
            response.headers += HTTPResponse.headers([told])
        }
        return response
    }

    /// Entries are counted up to so many.
    private static let mostCounted = 1_000

    /// What to say where entries were changed after they were reviewed: a file has the review alone.
    private func changedSinceReview(
        _ formID: String, in room: OpenRoom, _ request: HTTPRequest
    ) async throws -> String? {
        guard !formID.contains("/") else { return nil }
        let reader = try RoomReader(path: room.store.path)
        guard try await reader.hasReviews() else { return nil }
        let schema = try await find.schemas.find(formID, in: room)
        // Without that column the file has no review.
        if let columns = schema.columns(request.query), !columns.contains("_state") { return nil }
        let query = try await find.query(request.query, of: schema, in: room)
        let count = try await reader.count(
            schema.info,
            where: query.conditions + [
                .compare(.state, .unequal, .absent), .compare(.reviewed, .equal, .text("no")),
            ], upTo: Self.mostCounted)
        guard count > 0 else { return nil }
        let what = count == 1 ? "1 entry was" : "\(count) entries were"
        return "\(count < Self.mostCounted ? "" : "at least ")\(what) changed after the review that"
            + " the file has: shared list \(formID) _reviewed=no '_state!='"
    }

    private func document(
        _ formID: String, in room: OpenRoom, _ request: HTTPRequest
    ) async throws -> HTTPResponse {
        let text = request.query["format"] ?? "csv"
        guard let format = Format(rawValue: text) else {
            throw Problem(
                .badRequest, "no format \"\(text.prefix(80))\"",
                hint: "There are csv, json, ndjson and geojson.")
        }
        let schema = try await find.schemas.find(formID, in: room)
        let query = try await query(request, of: schema, in: room)
        let names = try await records.memberNames(room)
        let hasFlags = try await find.readsFlags(query, of: schema, in: room)
        let columns = schema.columns(request.query)
        let path = room.store.path
        switch format {
        case .csv:
            let parents = try await parents(request, of: schema, in: room)
            return try csv(request, schema, query, path, names, columns, hasFlags, parents)
        case .json, .ndjson:
            let encoder = RecordsJSONEncoder(
                schema, format == .json ? .list : .lines, names: names,
                columns: try columns.map { try $0.map(schema.column) })
            return try streamed(
                format == .json ? HTTPResponse.json : HTTPResponse.lines,
                RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags))
        case .geojson:
            let places = try await places(request.query["geo"], of: schema, in: room)
            let encoder = RecordsGeoEncoder(
                RecordsJSONEncoder(
                    schema, .lines, names: names,
                    columns: try columns.map { try $0.map(schema.column) }
                        ?? schema.names.filter { name in
                            !FormDefinition.repeatFields.contains { $0.name == name }
                        }),
                places: places)
            let asked = schema.form.stored.count
            let earlier = places.filter { $0.column >= asked }.map { schema.names[$0.column] }
            var notices: [String] = []
            if places.isEmpty {
                notices.append("the form asks for no place: no entry has a geometry")
            } else if !earlier.isEmpty {
                notices.append(
                    "with places of earlier versions: \(earlier.joined(separator: ", "))")
            }
            let left = schema.info.repeats.filter { $0.records > 0 }
                .map { "\($0.records) of \($0.name)" }
            if !left.isEmpty {
                notices.append(
                    "rows of repeats are not in it, \(left.joined(separator: ", ")) in all:"
                        + " .ndjson, .csv and .xlsx have them")
            }
            return try streamed(
                "application/geo+json",
                RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags),
                notices: notices)
        }
    }

    /// Which rows are wanted; with `of_entries` the conditions are on the entries of the outermost
    /// form, and all rows of a repeat in these are wanted.
    private func query(
        _ request: HTTPRequest, of schema: FormSchema, in room: OpenRoom
    ) async throws -> RecordQuery {
        guard schema.form.isRepeat else {
            return try await find.query(request.query, of: schema, in: room)
        }
        var query =
            try request.flag("of_entries")
            ? await rows(of: schema.info.formID, request, in: room)
            : await find.query(request.query, of: schema, in: room)
        if query.order.isEmpty { query.order = Self.rowOrder }
        return query
    }

    /// Files of other programs know the order of an entry's rows by that of their lines.
    private static let rowOrder = FormDefinition.repeatFields.map {
        RecordQuery.Order(.column($0.name))
    }

    /// The entries that a request wants, or the rows of a repeat in these.
    private func rows(
        of formID: String, _ request: HTTPRequest, in room: OpenRoom
    ) async throws -> RecordQuery {
        var ids = [formID]
        while let parent = FormDefinition.parentForm(of: ids[0]) { ids.insert(parent, at: 0) }
        let outermost = try await find.schemas.find(ids[0], in: room)
        var query = try await find.query(request.query, of: outermost, in: room)
        var info = outermost.info
        for id in ids.dropFirst() {
            query = RecordQuery(where: [.belongs(info, query)])
            guard let next = info.repeats.first(where: { $0.formID == id }) else { break }
            info = next
        }
        return query
    }

    /// What the rows of a repeat belong to, with its place in the file that the same request for
    /// its own form gives, for KoboToolbox; of very many the first.
    private func parents(
        _ request: HTTPRequest, of schema: FormSchema, in room: OpenRoom
    ) async throws -> RecordsLayoutEncoder.Parents {
        guard request.query["like"] == ColumnConvention.kobo.rawValue else { return [:] }
        let isOfEntries = try request.flag("of_entries")
        var above = FormDefinition.parentForm(of: schema.info.formID).map { [$0] } ?? []
        while let first = above.first, let parent = FormDefinition.parentForm(of: first) {
            above.insert(parent, at: 0)
        }
        var parents: RecordsLayoutEncoder.Parents = [:]
        let reader = try RoomReader(path: room.store.path)
        for form in above {
            var query = isOfEntries ? try await rows(of: form, request, in: room) : RecordQuery()
            if FormDefinition.isRepeat(form) { query.order = Self.rowOrder }
            let around = parents
            let found = Mutex((count: 0, parents: RecordsLayoutEncoder.Parents()))
            try await reader.list(try await find.schemas.find(form, in: room).info, query) { row in
                var entry: RecordID? = row.name.id
                if FormDefinition.isRepeat(form), case .text(let text)? = row.values.first {
                    entry = ParentName(text.utf8).flatMap { around[$0.id]?.entry }
                }
                return found.withLock {
                    $0.count += 1
                    if let entry { $0.parents[row.name.id] = ($0.count, entry) }
                    return $0.count < Self.mostParents
                }
            }
            parents = found.withLock { $0.parents }
        }
        return parents
    }

    /// Entries of which it is remembered where they stand: some 20 MB.
    private static let mostParents = 200_000

    private func csv(
        _ request: HTTPRequest, _ schema: FormSchema, _ query: RecordQuery, _ path: String,
        _ names: [DeviceKey: String], _ columns: [String]?, _ hasFlags: Bool,
        _ parents: RecordsLayoutEncoder.Parents
    ) throws -> HTTPResponse {
        var options = CSVWriter.Options()
        options.endsLinesWithCRLF = try request.flag("crlf")
        options.hasByteOrderMark = try request.flag("bom")
        options.isRaw = try request.flag("raw")
        let hasUnits = try request.flag("units")
        if let text = request.query["like"] {
            guard let convention = ColumnConvention(rawValue: text) else {
                throw Problem(
                    .badRequest, "no program \"\(text.prefix(80))\"",
                    hint: "There are central and kobo.")
            }
            guard columns == nil else {
                throw Problem(
                    .badRequest, "like=\(convention.rawValue) takes no columns",
                    hint: "It writes all columns that the other program has.")
            }
            if convention == .kobo { options.separator = UInt8(ascii: ";") }
            let encoder = RecordsLayoutEncoder(
                RecordsLayoutEncoder.columns(convention, of: schema), options, names: names,
                parents: parents, versions: schema.info.accepted)
            var query = query
            query.wantsOrigins = !schema.form.isRepeat
            let left = schema.earlierFields
            return try streamed(
                "text/csv",
                RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags),
                notices: left.isEmpty
                    ? []
                    : [
                        "fields of earlier versions are not in it: \(left.joined(separator: ", "));"
                            + " a file without --like has them"
                    ])
        }
        if let columns {
            let encoder = RecordsLayoutEncoder(
                try RecordsLayoutEncoder.columns(named: columns, of: schema, hasUnits: hasUnits),
                options, names: names)
            return try streamed(
                "text/csv",
                RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags))
        }
        let isCurrent = try request.flag("current")
        let encoder = RecordsCSVEncoder(
            schema, options, names: names, hasUnits: hasUnits, isCurrent: isCurrent)
        let earlier = isCurrent ? [] : schema.earlierFields
        return try streamed(
            "text/csv", RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags),
            notices: earlier.isEmpty
                ? []
                : [
                    "with fields of earlier versions: \(earlier.joined(separator: ", "));"
                        + " --current-fields leaves them out"
                ])
    }

    /// The columns that are places, those of the form in force first, or the one of that name.
    private func places(
        _ name: String?, of schema: FormSchema, in room: OpenRoom
    ) async throws -> [(column: Int, kind: FieldKind)] {
        let all =
            schema.form.stored.enumerated().filter { $1.kind.isPlace }
            .map { (column: $0.offset, kind: $0.element.kind) }
            + (await schema.earlierPlaces(in: room))
        guard let name else { return all }
        let wanted = all.filter { schema.names[$0.column].utf8.elementsEqual(name.utf8) }
        guard wanted.isEmpty else { return wanted }
        let place = try schema.parser.position(of: name)
        guard let found = all.first(where: { $0.column == place }) else {
            throw Problem(
                .wrongType, "\(name) is no place",
                hint: "A place is a geopoint, a geotrace or a geoshape.")
        }
        return [found]
    }

    private func streamed(
        _ contentType: String, _ stream: RecordsStream<some RecordsEncoder>,
        notices: [String] = []
    ) -> HTTPResponse {
        HTTPResponse(
            contentType: contentType, headers: HTTPResponse.headers(notices), heartbeat: false,
            produce: requests.streaming { writer in
                try await stream.run { try await writer.write($0) }
            })
    }
}
