import ShareFormats

/// The routes of files of entries: in and out.
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
            await requests.answer {
                let room = try await requests.room(request)
                var file = try await ExportService(
                    requests: requests, find: find, records: records
                ).export(request.parameter("form"), in: room, request)
                file.headers += HTTPResponse.headers(
                    await records.notices(about: room, request.query))
                return file
            }
        }
    }
}
