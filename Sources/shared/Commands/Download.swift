internal import ControlClient
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
}
