import JSON
import ShareControl
import ShareCore

/// The control API of a node (docs/openapi.yaml).
package struct ControlRoutes: Sendable {
    let node: Node
    let readers = RecordsReaders()

    package init(node: Node) { self.node = node }

    /// All routes.
    package func router() -> Router {
        var router = Router()
        registerStatus(&router)
        registerIdentity(&router)
        registerRooms(&router)
        registerMembers(&router)
        registerPeers(&router)
        registerJoin(&router)
        registerShare(&router)
        registerForms(&router)
        registerRecords(&router)
        registerTransfer(&router)
        registerChecks(&router)
        registerBundles(&router)
        return router
    }

    // MARK: What handlers share

    /// Runs a handler and turns what it throws into a problem.
    func answer(_ handler: () async throws -> HTTPResponse) async -> HTTPResponse {
        do {
            return try await handler()
        } catch {
            return HTTPResponse(problem(error))
        }
    }

    /// The same for an answer that is one value.
    func answer(json handler: () async throws -> some JSONConvertible) async -> HTTPResponse {
        await answer { HTTPResponse(body: try await handler().jsonText) }
    }

    /// Runs long work: lines of progress, then its result or a problem.
    func work<Result: JSONConvertible & Sendable>(
        _ handler:
            @escaping @Sendable (_ progress: @escaping @Sendable (Int, Int?) -> Void) async throws
            -> Result
    ) -> HTTPResponse {
        HTTPResponse(heartbeat: true) { writer in
            let (lines, continuation) = AsyncStream.makeStream(
                of: StreamEvent<Result>.self, bufferingPolicy: .bufferingNewest(16))
            let task = Task {
                do {
                    let result = try await handler { done, total in
                        continuation.yield(.progress(done: done, total: total))
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

    func problem(_ error: any Error) -> Problem {
        let problem = Problem(error)
        if problem.code == .internalError {
            node.log.error("a request failed", ["error": "\(error)"])
        }
        return problem
    }

    /// The room that a request is about: the one named by `room`, or the current one.
    func room(_ request: HTTPRequest) async throws -> OpenRoom {
        try await node.rooms.resolve(request.query["room"])
    }

    /// The same for a request that says something in the room.
    ///
    /// - Throws: `Problem` of `removed` where this device is no member any more.
    func memberRoom(_ request: HTTPRequest) async throws -> OpenRoom {
        let room = try await room(request)
        try await node.requireMember(of: room)
        return room
    }

    /// The room that a request names; nil where it names none, and means all of them.
    func namedRoom(_ request: HTTPRequest) async throws -> OpenRoom? {
        request.query["room"] == nil ? nil : try await room(request)
    }

    /// A choice that is off where it is not named.
    func flag(_ name: String, of request: HTTPRequest) throws -> Bool {
        switch request.query[name] {
        case nil, "false": return false
        case "true": return true
        case .some(let other):
            throw Problem(.badRequest, "\(name) is true or false, not \"\(other.prefix(80))\"")
        }
    }

    /// The JSON body of a request.
    func body<Value: JSONConvertible>(
        _ request: HTTPRequest, as type: Value.Type = Value.self
    ) throws -> Value {
        do {
            return try Value(jsonText: request.bytes)
        } catch {
            throw Problem(
                .badRequest, "the request's body is not what this route takes: \(error)",
                hint: "See docs/openapi.yaml.")
        }
    }
}
