import ShareTestKit
import Testing

extension CommandRun {
    /// Runs SQL on a file behind the daemon's back, which may be writing at that moment.
    ///
    /// - Returns: what `sqlite3` answers.
    @discardableResult
    static func sqlite(_ file: String, _ sql: String, _ options: String...) async throws -> String {
        let run = try await CommandRun(
            program: "/usr/bin/sqlite3", options + [file, ".timeout 10000", sql])
        try #require(run.code == 0, "\(run.errors)")
        return run.output
    }
}
