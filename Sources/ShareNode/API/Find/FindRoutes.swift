import ShareControl

/// The routes of counts, figures and charts.
struct FindRoutes: Sendable {
    let requests: Requests
    let find: FindService
    let charts: ChartService
    let search: SearchService
    let records: RecordsService

    func register(on router: inout Router) {
        router.on(.get, "/v1/count/{form}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let answer = try await find.count(
                    request.parameter("form"), in: room, request.query)
                return HTTPResponse(
                    json: answer, notices: await records.notices(about: room, request.query))
            }
        }
        router.on(.get, "/v1/stats/{form}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let answer = try await find.statistics(
                    request.parameter("form"), in: room, request.query)
                return HTTPResponse(
                    json: answer, notices: await records.notices(about: room, request.query))
            }
        }
        router.on(.get, "/v1/chart/{form}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let answer = try await charts.chart(
                    request.parameter("form"), in: room, request.query)
                return HTTPResponse(
                    json: answer, notices: await records.notices(about: room, request.query))
            }
        }
        router.on(.get, "/v1/search") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let answer = try await search.search(in: room, request.query)
                return HTTPResponse(
                    json: answer, notices: await records.notices(about: room, request.query))
            }
        }
        router.on(.get, "/v1/searches") { _ in
            await requests.answer(json: { try await search.recent() })
        }
        router.on(.delete, "/v1/searches") { _ in
            await requests.answer(json: { try await search.clear() })
        }
        router.on(.get, "/v1/activity") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let answer = try await find.activity(in: room, request.query)
                return HTTPResponse(
                    json: answer, notices: await records.notices(about: room, request.query))
            }
        }
    }
}
