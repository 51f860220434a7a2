import ShareControl
import ShareFormats
import ShareStore

/// The routes of files: CSV in; CSV and JSON out.
extension ControlRoutes {
    func registerTransfer(_ router: inout Router) {
        router.on(.post, "/v1/import/{form}", body: .streamed) { request in
            await answer {
                if let length = request.headers["Content-Length"].flatMap({ Int($0) }) {
                    try TransferImport.requireSize(length)
                }
                var file = try await TransferImport(
                    node: node, room: try await memberRoom(request),
                    formID: request.parameters["form"] ?? "",
                    isRaw: try flag("raw", of: request))
                // The whole file first: an answer cannot begin before the request has ended.
                try await file.read(request.pieces)
                let read = file
                return work { try await read.write(progress: $0) }
            }
        }
        router.on(.get, "/v1/export/{form}") { request in
            await answer { try await export(request) }
        }
    }

    private func export(_ request: HTTPRequest) async throws -> HTTPResponse {
        let room = try await room(request)
        let format = request.query["format"] ?? "csv"
        var options = CSVWriter.Options()
        options.endsLinesWithCRLF = try flag("crlf", of: request)
        options.hasByteOrderMark = try flag("bom", of: request)
        options.isRaw = try flag("raw", of: request)
        let entry = try await FormsEntry.find(request.parameters["form"] ?? "", in: room)
        let path = room.store.path
        switch format {
        case "csv":
            let encoder = TransferCSVEncoder(entry, options)
            return try streamed(
                "text/csv", RecordsStream(encoder, of: entry, RecordQuery(), path: path))
        case "json", "ndjson":
            let encoder = RecordsJSONEncoder(entry, format == "json" ? .list : .lines)
            return try streamed(
                format == "json" ? HTTPResponse.json : HTTPResponse.lines,
                RecordsStream(encoder, of: entry, RecordQuery(), path: path))
        default:
            throw Problem(
                .badRequest, "no format \"\(format.prefix(80))\"",
                hint: "There are csv, json and ndjson.")
        }
    }

    private func streamed(
        _ contentType: String, _ stream: RecordsStream<some RecordsEncoder>
    ) -> HTTPResponse {
        HTTPResponse(contentType: contentType, heartbeat: false) { writer in
            try await stream.run { try await writer.write($0) }
        }
    }
}
