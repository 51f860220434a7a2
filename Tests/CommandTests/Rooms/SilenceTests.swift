import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Members that are connected still and do not answer: frozen, asleep, or out of reach just now.
@Suite(.serialized) struct SilenceTests {
    @Test func `nobody is called up to date who has given no sign of life`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let c = try await Daemon.member("ward-3", of: a)
        try await Daemon.untilIdentical(a, b, c)
        let all = try await a.shared("sync", "--all")
        #expect(
            all.code == 0 && all.words.hasPrefix("nothing new; up to date with ward-"), "\(all)")

        try await b.freeze()
        let one = try await a.shared("sync")
        #expect(one.code == 0, "\(one.errors)")
        #expect(one.words.hasPrefix("nothing new; up to date with ward-3 ("), "\(one)")
        #expect(one.words.contains("not in reach: ward-2 (no answer for "), "\(one)")
        let failed = try await a.shared("sync", "--all")
        #expect(failed.code == 1 && failed.errors.contains("1 member is not in reach"), "\(failed)")
        let answer = try await a.answer("sync")
        #expect(answer["identical"].isTrue && answer["absent"][0]["state"] == "silent")
        #expect(answer["peers"].array?.count == 1, "\(answer.shown)")
        // Whoever looks now is told so too.
        #expect(try await a.shared("status").words.contains("ward-2 last answered "))
        let members = try await a.shared("members").output.split(separator: "\n")
        let silent = try #require(members.first { $0.hasPrefix("ward-2") })
        #expect(silent.contains(" s ago ") && !silent.contains("up to date"), "\(silent)")
        #expect(try await a.shared("peers").words.contains(" silent "))

        try await c.freeze()
        let none = try await a.shared("sync")
        none.expectProblem(
            "nobody of clinic answers: perhaps this device is off the network,"
                + " or ward-2 and ward-3 are silent")
        #expect(
            try await a.shared("status").words.contains(
                "nobody answers: perhaps this device is off the network: shared doctor"))
        none.expectHint("shared doctor")
        b.signal(SIGCONT)
        c.signal(SIGCONT)
        let isBack = await eventually {
            (try? await a.shared("sync", "--all").code) == 0
        }
        #expect(isBack)
    }

    @Test func `where nobody answers what is here alone is named`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        try await b.freeze()
        try await a.add("Sara")
        // Silent first, and gone after 25 s: whatever it is when this is read.
        try await a.shared("sync").expectProblem("; 1 entry here is not sent yet")
        #expect(try await a.shared("push", "--timeout", "0s").code == 0)
        try await a.shared("sync").expectProblem("; 1 entry is on this device alone")
        b.signal(SIGCONT)
        try await Daemon.untilIdentical(a, b, records: 1)
    }

    @Test func `whoever looks at how members stand has them asked`() async throws {
        for look in [["status"], ["members"], ["peers"]] {
            let a = try await Daemon.clinic("ward-1")
            let b = try await Daemon.member("ward-2", of: a)
            try await Daemon.untilIdentical(a, b)
            try await b.freeze()
            // Who has spoken just now is not asked.
            try await Task.sleep(for: .seconds(4))
            let run = try await a.shared(look)
            let isTold = [" last answered ", " s ago ", " silent "].contains {
                run.words.contains($0)
            }
            #expect(isTold, "\(look): \(run)")
            b.signal(SIGCONT)
        }
    }

    @Test func `all that tell when a member was met last tell the same, after a start too`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        // Some time after its last word, as far as members tell each other anything.
        await b.kill()
        for _ in 0..<2 {
            let isAway = await eventually {
                (try? await a.status()["others"][0]["state"]) == "away"
            }
            #expect(isAway)
            let member = try await a.status()["others"][0]["last_met"]
            let peer = try await a.answer("peers")[0]["last_met"]
            #expect(member.string != nil && member == peer, "\(member.shown) \(peer.shown)")
            await a.kill()
            try await a.start()
        }
    }

    @Test func `a form that a member lacks is no entry, and no push says that it has all`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b)
        let even = try await a.shared("push")
        #expect(even.words.contains("nothing new to send; ward-2 ("), "\(even)")
        #expect(even.words.contains(") has all that was sent from here"), "\(even)")
        try await b.freeze()
        let form = AcceptanceTests.secondForm
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let push = try await a.shared("push", "--timeout", "1s")
        #expect(
            push.words.contains("no new entries to send; what is missing goes by itself to ward-2"),
            "\(push)")
        #expect(
            push.words.contains("(no answer, lacks 1 entry or other change)"), "\(push)")
        #expect(try await a.answer("push", "--timeout", "1s")["outcome"].string == "interrupted")
        b.signal(SIGCONT)
        let isThere = await eventually {
            (try? await a.shared("push").words.contains("has all that was sent from here")) == true
        }
        #expect(isThere)
        // Out of reach, nothing is said of it that is not known.
        let id = try #require(try await a.id(of: "ward-2").string)
        await b.terminate()
        try #require(try await a.shared("role", id, "viewer").code == 0)
        let alone = try await a.shared("push", "--timeout", "1s")
        #expect(
            alone.words.hasPrefix("no new entries to send; what is missing goes by itself to ward"),
            "\(alone)")
    }

    @Test func `what a silent member lacks is no success, and status knows after a push`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let c = try await Daemon.member("ward-3", of: a)
        try await Daemon.untilIdentical(a, b, c)
        try await b.freeze()
        try await a.add("Sara")
        let push = try await a.shared("push", "--timeout", "1s")
        #expect(push.words.contains("not yet to ward-2 ("), "\(push)")
        #expect(push.words.contains("(no answer, lacks 1 "), "\(push)")
        let isTold = await eventually {
            (try? await a.shared("status").words.contains("ward-2 last answered ")) == true
        }
        #expect(isTold)
        let sync = try await a.shared("sync", "--wait", "5s")
        #expect(sync.code == 1, "\(sync)")
        sync.expectProblem(
            "up to date with ward-3; ward-2 does not answer (lacks 1 entry or other change)")
        sync.expectHint("when they answer again")
        #expect(!sync.words.contains("in reach") && !sync.errors.contains("more time"), "\(sync)")
        // Where nobody answers, who lacks it is named as well, and who has it is not.
        try await c.freeze()
        let none = try await a.shared("sync", "--wait", "5s")
        none.expectProblem("are silent; ward-2 lacks 1 entry or other change")
        #expect(!none.errors.contains("ward-3 lacks"), "\(none)")
        c.signal(SIGCONT)
        b.signal(SIGCONT)
        try await Daemon.untilIdentical(a, b, c, records: 1)
    }
}
