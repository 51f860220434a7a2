import ShareControl
import ShareFormats
import ShareStore

/// The routes of files: CSV in; CSV and JSON out.
struct ImportRoutes: Sendable {
    let requests: Requests
    let own: OwnDevice
    let entering: Entering
    let schemas: SchemaCache
    let find: FindService
    let records: RecordsService
    let surroundings: EntrySurroundings

    func register(on router: inout Router) {
        router.on(.post, "/v1/import/{form}", body: .streamed) { request in
            await requests.answer {
                if let length = request.headers["Content-Length"].flatMap({ Int($0) }) {
                    try CSVImport.requireSize(length)
                }
                var file = try await CSVImport(
                    to: try await requests.memberRoom(request),
                    formID: request.parameter("form"), manner: try ImportManner(request),
                    schemas: schemas, own: own, entering: entering, surroundings: surroundings)
                // The whole file first: an answer cannot begin before the request has ended.
                try await file.read(request.pieces)
                let read = file
                return requests.work { try await read.write(progress: $0) }
            }
        }
        router.on(.get, "/v1/export/{form}") { request in
            await requests.answer { try await export(request) }
        }
    }

    private func export(_ request: HTTPRequest) async throws -> HTTPResponse {
        let room = try await requests.room(request)
        let format = request.query["format"] ?? "csv"
        var options = CSVWriter.Options()
        options.endsLinesWithCRLF = try request.flag("crlf")
        options.hasByteOrderMark = try request.flag("bom")
        options.isRaw = try request.flag("raw")
        let schema = try await schemas.find(request.parameter("form"), in: room)
        let query = try await find.query(request.query, of: schema, in: room)
        let path = room.store.path
        let hasFlags = try await find.readsFlags(query, of: schema, in: room)
        let names = try await records.memberNames(room)
        switch format {
        case "csv":
            let encoder = RecordsCSVEncoder(
                schema, options, names: names, hasUnits: try request.flag("units"),
                isCurrent: try request.flag("current"))
            let earlier = try request.flag("current") ? [] : schema.earlierFields
            return try streamed(
                "text/csv",
                RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags),
                notices: earlier.isEmpty
                    ? []
                    : [
                        "with fields of earlier versions: \(earlier.joined(separator: ", "));"
                            + " --current-fields leaves them out"
                    ])
        case "json", "ndjson":
            let encoder = RecordsJSONEncoder(
                schema, format == "json" ? .list : .lines, names: names)
            return try streamed(
                format == "json" ? HTTPResponse.json : HTTPResponse.lines,
                RecordsStream(encoder, of: schema, query, path: path, hasFlags: hasFlags))
        default:
            throw Problem(
                .badRequest, "no format \"\(format.prefix(80))\"",
                hint: "There are csv, json and ndjson.")
        }
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
