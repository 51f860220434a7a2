import Glibc
import ShareControl
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// What people are told of errors of the system.
struct ProblemTests {
    @Test func `where no descriptor is left it is said, and what to do`() throws {
        let folder = try ScratchFolder()
        var before = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) == 0)
        var none = before
        none.rlim_cur = 3
        let error: (any Error)?
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        do {
            _ = try NodeStore(path: folder.path + "/node.sqlite")
            error = nil
        } catch let failure {
            error = failure
        }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        let problem = Problem(try #require(error))
        #expect(problem.code == .busy)
        #expect(problem.detail.contains("too many files"), "\(problem.detail)")
        #expect(problem.hint?.contains("ulimit -n") == true)
        // What cannot be opened for another reason is no lack of descriptors.
        #expect(throws: SQLiteError.self) { try NodeStore(path: folder.path + "/no/node.sqlite") }
        do { _ = try NodeStore(path: folder.path + "/no/node.sqlite") } catch {
            #expect(!Problem(error).detail.contains("too many files"))
        }
    }
}
