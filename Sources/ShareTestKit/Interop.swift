import Foundation

/// Programs in another language that check what this one writes (`Tests/interop`).
package enum Interop {
    package struct Run: Sendable {
        package let code: Int32
        package let output: String
        package let errors: String
    }

    /// Runs one of them to its end, with Debian's own Python, which `make deps` gives its
    /// packages.
    package static func run(_ script: String, _ arguments: [String]) async throws -> Run {
        let folder = try ScratchFolder()
        let path = Repository.url("Tests/interop/" + script).path
        // Without the cache that it would leave beside the scripts.
        var launch = ChildProcess.Launch("/usr/bin/python3", ["-B", path] + arguments)
        launch.output = folder.path + "/out"
        launch.errors = folder.path + "/err"
        let child = try await ChildProcess.start(launch)
        let code = await child.end(within: .seconds(300))
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
        }
        return Run(code: code, output: try text("out"), errors: try text("err"))
    }
}
