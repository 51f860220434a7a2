import ShareNode
import ShareTestKit

/// A server on a socket of its own, stopped by the test.
struct HTTPTestServer {
    let folder: ScratchFolder
    let socket: ControlSocket
    let server: HTTPServer

    var path: String { folder.path + "/c.sock" }

    init(limits: HTTPLimits = HTTPLimits(), _ routes: (inout Router) -> Void) throws {
        folder = try ScratchFolder()
        socket = try ControlSocket(path: folder.path + "/c.sock")
        var router = Router()
        routes(&router)
        server = HTTPServer(router: router, version: "1.2.3", limits: limits)
        try server.start(on: socket.descriptor)
    }

    func stop(grace: Duration = .seconds(2)) async {
        await server.stop(grace: grace)
        socket.close()
    }
}
