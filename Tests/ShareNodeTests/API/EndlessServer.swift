import Glibc
import ShareNode
import ShareTestKit

/// The routes of a daemon that imports, exports and watches.
struct EndlessServer {
    static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)

    let server: HTTPTestServer
    let uploads = Shared<[String]>([])
    let downloads = Shared<[String]>([])

    init(limits: HTTPLimits = HTTPLimits()) throws {
        let uploads = uploads
        let downloads = downloads
        server = try HTTPTestServer(limits: limits) { router in
            router.on(.post, "/import", body: .streamed) { request in
                var count = 0
                do {
                    for try await piece in request.pieces { count += piece.count }
                    uploads.change { $0.append("whole") }
                } catch {
                    uploads.change { $0.append("\(error)") }
                }
                return HTTPResponse(body: Array("\(count)".utf8))
            }
            router.on(.post, "/refuse", body: .streamed) { _ in
                HTTPResponse(status: 409, body: Array("no".utf8))
            }
            router.on(.get, "/export") { _ in
                HTTPResponse(heartbeat: false) { writer in
                    do {
                        while true { try await writer.write(EndlessServer.piece) }
                    } catch {
                        downloads.change { $0.append("\(error)") }
                        throw error
                    }
                }
            }
            router.on(.get, "/broken") { _ in
                HTTPResponse(heartbeat: false) { writer in
                    try await writer.write("half\n")
                    throw CancellationError()
                }
            }
            router.on(.get, "/watch", isWatch: true) { _ in
                HTTPResponse(heartbeat: true) { writer in
                    try await writer.write("first\n")
                    await writer.ended()
                    downloads.change { $0.append("watch ended") }
                }
            }
            router.on(.get, "/quick") { _ in HTTPResponse(body: Array("quick".utf8)) }
        }
    }
}

extension HTTPLimits {
    /// Limits under which clients that left are noticed at once.
    static var fast: HTTPLimits {
        var limits = HTTPLimits()
        limits.tick = .milliseconds(20)
        return limits
    }
}
