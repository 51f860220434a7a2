import JSON
import ShareControl
import ShareTestKit
import Testing

/// What two devices say that hold the same entries and made something else of them.
@Suite(.serialized) struct AnotherStateTests {
    @Test func `a table changed from outside is told on both devices, until it is rebuilt`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let record = try await a.add("Sara")
        #expect(try await a.shared("push").code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        try await Daemon.untilIdentical(a, b, records: 1)
        let nothing = try await a.answer("sync")
        #expect(nothing["outcome"].string == "nothing_new")

        // Somebody opens the file with another program.
        await b.terminate()
        try await CommandRun.sqlite(try b.file(), "UPDATE visit SET name = 'Zara'")
        try await b.start()
        #expect(try await a.shared("edit", record, "age=31").code == 0)
        #expect(try await a.shared("push").code == 0)

        for daemon in [a, b] {
            let isTold = await eventually {
                let run = try? await daemon.shared("sync", "--wait", "1s", "--json")
                guard let run, run.code == 1 else { return false }
                let answer = try? JSONValue(text: Array(run.output.utf8))
                return answer?["outcome"].string == "digest_differs"
            }
            #expect(isTold, "\(daemon.log)")
            let sync = try await daemon.shared("sync", "--wait", "1s")
            #expect(sync.code == 1 && sync.errors.contains("shared verify"), "\(sync.errors)")
            #expect(daemon.log.contains("error equal logs but unequal state"))
            #expect(try await daemon.shared("status").words.contains("ANOTHER STATE"))
            #expect(try await daemon.shared("peers").output.contains("ANOTHER STATE"))
            let doctor = try await daemon.shared("doctor")
            #expect(doctor.code == 1 && doctor.words.contains("shared verify"))
        }
        #expect(try await a.shared("verify").code == 0)
        #expect(try await b.shared("verify").code == 1)
        #expect(try await b.shared("rebuild").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        #expect(try await b.names() == ["Sara"])
        for daemon in [a, b] {
            #expect(try await daemon.answer("sync")["identical"] == .bool(true))
            #expect(try await daemon.shared("doctor").code == 0)
        }
    }

    @Test func `a sync whose peer goes away with entries missing is interrupted`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        try await b.add("Sara")
        #expect(try await b.answer("push", "--timeout", "30s")["outcome"].string == "done")
        #expect(try await b.answer("push")["outcome"].string == "nothing_new")
        await b.kill()
        let isAlone = await eventually(within: .seconds(60)) {
            (try? await a.answer("status"))?["peers"]["connected"].number == 0
        }
        #expect(isAlone)
        try await a.add("Jacob")
        #expect(try await a.answer("push")["outcome"].string == "waiting")
        let sync = try await a.shared("sync", "--wait", "1s", "--json")
        #expect(sync.code == 1 && sync.errors.contains("nobody_in_reach"), "\(sync.errors)")
        let peer = try await a.answer("peers")[0]
        #expect(peer["state"].string != "connected" && peer["last_met"].string != nil)
        #expect(peer["progress"][0]["state"].string == "not_connected")
    }
}
