internal import ControlClient
internal import ShareControl

/// Answers that go on until the user has had enough.
enum Stream {
    /// Shows each line as it comes: itself with `--json`, else what `show` makes of it.
    static func run(
        _ session: Session, _ request: ControlRequest,
        _ show: @escaping ([UInt8]) throws(Problem) -> String
    ) throws(Problem) -> ExitCode {
        var request = request
        request.silence = ControlLimits.silence
        let output = session.output
        let wantsJSON = session.wantsJSON
        do {
            let ended = try session.client().lines(request) { (line) throws(Problem) in
                if wantsJSON { output.line(line) } else { output.line(try show(line)) }
                output.flush()
                return !output.isClosed
            }
            guard ended else { return .done }
        } catch {
            // Ctrl-C is how one ends it.
            if error.code == .interrupted { return .done }
            throw error
        }
        throw Problem(
            .connectionLost, "the daemon ended", hint: "Start it again: `sharedd`.")
    }
}
