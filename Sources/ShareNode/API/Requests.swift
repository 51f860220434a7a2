import JSON
import ShareControl
import ShareFormats
import ShareStore

/// Runs the handlers of routes: reads what requests say, and turns what handlers return or throw
/// into answers.
struct Requests: Sendable {
    let rooms: RoomBook
    let membership: Membership
    let log: Log

    // MARK: Answers

    /// Runs a handler and turns what it throws into a problem.
    func answer(_ handler: () async throws -> HTTPResponse) async -> HTTPResponse {
        do {
            return try await handler()
        } catch let error as UnknownForm {
            var others: [String] = []
            for room in await rooms.all() where await room.store.form(error.form) != nil {
                others.append(room.name)
            }
            return HTTPResponse(error.problem(in: others.sorted()))
        } catch {
            return HTTPResponse(problem(error))
        }
    }

    /// The same for an answer that is one value.
    func answer(json handler: () async throws -> some Encodable) async -> HTTPResponse {
        await answer { HTTPResponse(json: try await handler()) }
    }

    /// Runs long work: lines of progress, then its result or a problem.
    func work<Result: Codable & Sendable>(
        _ handler:
            @escaping @Sendable (_ progress: @escaping @Sendable (Int, Int?) -> Void) async throws
            -> Result
    ) -> HTTPResponse {
        exchange { progress in try await handler { progress($0, $1, nil) } }
    }

    /// The same for work with others, where progress also says what they lack.
    func exchange<Result: Codable & Sendable>(
        _ handler:
            @escaping @Sendable (
                _ progress: @escaping @Sendable (Int, Int?, String?) -> Void
            ) async throws -> Result
    ) -> HTTPResponse {
        HTTPResponse(heartbeat: true) { writer in
            let (lines, continuation) = AsyncStream.makeStream(
                of: StreamEvent<Result>.self, bufferingPolicy: .bufferingNewest(16))
            let task = Task {
                do {
                    let result = try await handler { done, total, lacking in
                        continuation.yield(
                            .progress(done: done, total: total, lacking: lacking))
                    }
                    continuation.yield(.result(result))
                } catch {
                    continuation.yield(.problem(problem(error)))
                }
                continuation.finish()
            }
            // Work for a client that has left is stopped where it can be.
            defer { task.cancel() }
            for await line in lines { try await writer.write(line.jsonText + [10]) }
        }
    }

    /// Turns what the making of a streamed answer throws into a problem.
    func streaming(
        _ produce: @escaping @Sendable (HTTPResponseWriter) async throws -> Void
    ) -> @Sendable (HTTPResponseWriter) async throws -> Void {
        { writer in
            do {
                try await produce(writer)
            } catch let error as HTTPStreamError {
                throw error
            } catch {
                throw problem(error)
            }
        }
    }

    private func problem(_ error: any Error) -> Problem {
        let problem = Problem(error)
        switch problem.code {
        // What says that the log says more is in the log.
        case .internalError, .storage, .storageFull, .damaged:
            // Of what has words they are all that helps; of the rest the error itself.
            let isKnown = problem.code == .damaged
            log.error("a request failed", ["error": isKnown ? problem.detail : "\(error)"])
        default: break
        }
        return problem
    }

    // MARK: Rooms

    /// The room that a request is about: the one named by `room`, or the current one.
    func room(_ request: HTTPRequest) async throws -> OpenRoom {
        try await rooms.resolve(request.query["room"])
    }

    /// The same for a request that says something in the room.
    ///
    /// - Throws: `Problem` of `removed` where this device is no member any more.
    func memberRoom(_ request: HTTPRequest) async throws -> OpenRoom {
        let room = try await room(request)
        try await membership.requireMember(of: room)
        return room
    }

    /// The room that a request names; nil where it names none, and means all of them.
    func namedRoom(_ request: HTTPRequest) async throws -> OpenRoom? {
        request.query["room"] == nil ? nil : try await room(request)
    }
}

extension HTTPRequest {
    /// The value of a `{name}` segment; empty where the route has none of that name.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// A choice that is off where it is not named.
    func flag(_ name: String) throws -> Bool {
        switch query[name] {
        case nil, "false": return false
        case "true": return true
        case .some(let other):
            throw Problem(.badRequest, "\(name) is true or false, not \"\(other.prefix(80))\"")
        }
    }

    /// The JSON of the body.
    ///
    /// - Throws: `Problem` of `bad_request`, with what is wrong about it.
    func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        do {
            return try Value(jsonText: bytes)
        } catch {
            throw Problem(
                .badRequest, "the request's body is not what this route takes: \(error)",
                hint: "See docs/openapi.yaml.")
        }
    }
}

extension HTTPResponse {
    /// One value as JSON, and sentences that the user should read beside it.
    init(json value: some Encodable, status: Int = 200, notices: [String] = []) {
        self.init(
            status: status, headers: HTTPResponse.headers(notices), body: value.jsonText)
    }

    /// The headers that carry sentences which the user should read beside the answer, as far as an
    /// answer has space for them.
    static func headers(_ notices: [String]) -> [HTTPFields.Field] {
        var left = ControlLimits.noticeBytes
        return notices.compactMap { notice in
            let text = PercentEncoding.encode(notice.shortened(to: ControlLimits.noticeBytes / 8))
            left -= text.utf8.count
            return left < 0 ? nil : HTTPFields.Field(ControlHeader.notice, text)
        }
    }
}
