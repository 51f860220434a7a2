import JSON
import ShareControl
import ShareTestKit
import Testing

/// Leaving a room and coming back while all are connected.
@Suite(.serialized) struct RejoiningTests {
    @Test(.timeLimit(.minutes(3)))
    func `who leaves and comes back at once is identical with all, each time`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let c = try await Daemon("ward-3", peers: [a, b])
        try await c.join(a)
        let d = try await Daemon("ward-4", peers: [a, b, c])
        try await d.join(a)
        try await Daemon.untilIdentical(a, b, c, d, records: 0)
        for round in 1...6 {
            let invite = try await a.answer("invite")
            let code = try #require(invite["code"].string)
            try #require(try await c.shared("leave", "clinic").code == 0)
            let join = try await c.shared("join", "clinic", "--code", code)
            try #require(join.code == 0, "\(join.errors)")
            try await Daemon.untilIdentical(a, b, c, d, records: 0)
            let sync = try await c.shared("sync", "--wait", "30s")
            #expect(sync.code == 0, "round \(round): \(sync.errors)")
        }
    }
}
