internal import ControlClient
internal import JSON
internal import ShareControl

/// An answer that becomes a file.
enum Download {
    /// Streams the answer into a file that appears under its name when all of it is there.
    ///
    /// - Returns: how many bytes it has.
    static func save(
        _ session: Session, _ request: ControlRequest, to path: String, _ what: String
    ) throws(Problem) -> Int {
        let file = try OutputFile(path)
        let progress = Progress(what)
        defer { progress.clear() }
        try session.client().send(request) { bytes in
            file.output.write(bytes)
            progress.show(file.output.written, nil)
            return !file.output.isClosed
        }
        try file.commit()
        return file.output.written
    }

    /// Writes the room's batches to a file, and says how many bytes that were.
    static func bundle(
        _ session: Session, _ query: [(name: String, value: String)], to path: String
    ) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["bundle"], query: query, silence: .seconds(120))
        let written = try save(session, request, to: path, "writing, bytes")
        if session.wantsJSON {
            session.output.line(["file": path.json, "bytes": written.json])
        } else {
            let bytes = Text.count(written, "byte", "bytes")
            session.output.line("wrote \(bytes) to \(Terminal.plain(path)), not encrypted")
        }
        return .done
    }
}
