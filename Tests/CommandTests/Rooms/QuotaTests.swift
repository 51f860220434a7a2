import ShareControl
import ShareTestKit
import Testing

/// `shared set quota` on real devices: what is above waits, is told, and goes out later.
@Suite(.serialized) struct QuotaTests {
    @Test func `what is above the quota waits on its device until owners give more`() async throws {
        try await untilDayLasts()
        let office = try await Daemon.clinic()
        let ward = try await Daemon("ward-2", peers: [office])
        try await ward.join(office)
        let set = try await office.shared("set", "quota", "8/day", "1MB")
        #expect(set.output.contains("8/day 1MB"), "\(set.output)\(set.errors)")
        try await Daemon.untilIdentical(office, ward)
        for number in 0..<12 { try await ward.add("entry \(number)") }
        let push = try await ward.shared("push", "--timeout", "30s")
        #expect(push.errors.contains("quota"), "\(push.output)\(push.errors)")
        #expect(push.output.contains("8 entries sent to ward-1"), "\(push.output)")
        let again = try await ward.shared("push")
        #expect(again.output.contains("nothing sent: 4 entries or changes above the room's quota"))
        let json = try await ward.answer("push")
        #expect(json["above_quota"].number == 4)
        #expect(try await ward.shared("status").output.contains("the room's quota is 8/day"))
        #expect(try await ward.names().count == 12)
        let some = await eventually {
            (try? await office.names().count) == 8
        }
        #expect(some)
        // Both hear of it: who waits, and who can give more.
        let isTold = await eventually {
            (try? await office.status()["others"][0]["unsent"].number) == 4
        }
        #expect(isTold)
        let owner = try await office.shared("status")
        #expect(owner.errors.contains("ward-2 has entries not sent, and the room's quota of 8/day"))
        // That it may not send them, the others cannot know.
        let sync = try await office.shared("sync")
        #expect(
            sync.words.contains(
                "not sent yet: 4 entries or changes of ward-2: shared push there sends what it may"
            ), "\(sync)")
        // Less than what is there already would take entries out.
        try await office.shared("set", "quota", "5").expectProblem(
            "8 entries and changes already", code: 2)
        try await office.shared("set", "quota", "many").expectProblem(
            "'many' is no limit", code: 2)
        try await ward.shared("set", "quota", "off").expectProblem("owner")
        #expect(try await office.shared("set", "quota", "off").code == 0)
        let all = await eventually {
            _ = try? await ward.shared("push")
            return (try? await office.names().count) == 12
        }
        #expect(all)
        #expect(try await !ward.shared("status").output.contains("quota"))
    }
}
