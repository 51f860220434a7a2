import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Staff, and two enumerators of one team in the north.
@Suite(.serialized) struct WaterStoryTests {
    @Test func `a condition may bind one of the forms alone`() async throws {
        let staff = try await Daemon.installed("water-sanitation", name: "staff")
        func scope(_ more: String...) async throws -> JSONValue {
            let run = try await staff.shared(
                ["invite", "--forms", "household,visit"] + more + ["--json"])
            try #require(run.code == 0, "\(run)")
            return try JSONValue(text: Array(run.output.utf8))["scope"]
        }
        let one = try await scope("--where", "household.region=north")
        #expect(one[0]["form"].string == "household" && one[1]["form"].string == "visit")
        #expect(one[0]["conditions"][0]["field"].string == "region")
        #expect(one[1]["conditions"].array?.isEmpty == true, "\(one.shown)")
        let both = try await scope("--where", "region=north", "--where", "visit.latrine=yes")
        #expect(both[0]["conditions"].array?.count == 1, "\(both.shown)")
        #expect(both[1]["conditions"].array?.count == 2, "\(both.shown)")
        // What one of them has not binds none of them without its name.
        let wrong = try await staff.shared(
            "invite", "--forms", "household,visit", "--where", "head=Awa")
        wrong.expectProblem("the form visit has no text field head", code: 2)
        wrong.expectHint("To bind household alone write household.head=Awa.")
        let other = try await staff.shared(
            "invite", "--forms", "household", "--where", "visit.region=north")
        other.expectProblem("has no text field visit.region", code: 2)
        other.expectHint("Name visit among the forms too.")
        let run = try await staff.shared(
            "__complete", "invite", "--forms", "household,visit", "--where", "household.he")
        #expect(run.output == "household.head=\n", "\(run)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `a team writes within its assignment, and staff review what it has written`()
        async throws
    {
        let staff = try await Daemon.installed("water-sanitation", name: "staff")
        let code = try await staff.invite(
            "--role", "collector", "--forms", "household,visit", "--where", "region=north",
            "--name", "North team", "--uses", "2")
        let listed = try await staff.answer("invites")
        #expect(listed[0]["code"].string == code && listed[0]["name"].string == "North team")
        // None that looks like another: who types O means 0, who types I or L means 1.
        #expect(!code.contains { "OIL".contains($0) }, "\(code)")
        let spare = try await staff.invite("--role", "collector")
        try await staff.does("withdraw", spare)
        let a = try await Daemon.member("enumerator-1", of: staff, room: "water", code: code)
        let b = try await Daemon.member("enumerator-2", of: staff, room: "water", code: code)
        let late = try await Daemon("late", peers: [staff])
        try await late.refuses("this code is not valid here", "join", "water", "--code", spare)
        await late.terminate()
        try await staff.does("push")
        try await Daemon.untilIdentical(staff, a, b)
        // Two with one assignment show as two.
        let members = try await staff.answer("members").array ?? []
        #expect(members.filter { $0["role"].string == "collector" }.count == 2)

        try await a.does(
            "add", "household", "region=north", "district=koro_district", "village=dongo",
            "number=DON-002", "head=Awa", "members=3", "phone=0816735922")
        try await b.does(
            "add", "household", "region=north", "district=koro_district", "village=koro",
            "number=KOR-003", "head=Issa", "members=4")
        try await a.refuses(
            "region must be North", "add", "household", "region=south",
            "district=sikasso_district", "village=bala", "number=BAL-009", "head=Awa", "members=3")
        try await a.refuses(
            "was not assigned the form waterpoint", "add", "waterpoint", "region=north",
            "facility=well_dongo", "works=yes", "flow=4")
        // A child of another parent is no choice.
        try await a.refuses(
            "village", "add", "household", "region=north", "district=koro_district",
            "village=saint_maria", "number=MAR-009", "head=Awa", "members=3")
        for member in [a, b] { try await member.does("push") }
        try await Daemon.untilIdentical(staff, a, b)
        for device in [staff, a, b] {
            #expect(try await device.counts("household", by: "_author").count == 3)
            #expect(try await device.figures()["koro"] == .double(3))
        }

        // Staff review; a visit then updates its household instead of adding one.
        try await staff.does("review", "household", "DON-002", "approved")
        try await staff.does(
            "review", "household", "KOR-003", "hasIssues", "--comment", "who is the head?")
        try await staff.does("push")
        try await Daemon.untilIdentical(staff, a, b)
        let issues = try await b.answer("list", "household", "_state=hasIssues")
        #expect(issues.array?.count == 1 && issues[0]["head"].string == "Issa")
        #expect(issues[0]["_author_name"].string == "enumerator-2")
        try await b.does("edit", "household", "KOR-003", "head=Issa Guindo")
        let before = try await a.answer("count", "household")["entries"].number
        try await a.does("edit", "household", "DON-002", "members=5")
        for member in [a, b] { try await member.does("push") }
        try await Daemon.untilIdentical(staff, a, b)
        #expect(try await staff.answer("count", "household")["entries"].number == before)
        let dongo = try await staff.answer("list", "household", "number=DON-002")
        #expect(dongo[0]["members"].number == 5 && dongo[0]["_state"].string == "approved")

        // A visit is to a household that staff have approved; it is said by its key.
        try await staff.does("review", "household", "MAR-001", "approved")
        // The length of an interview in minutes, and what is asked and never stored.
        let visit = staff.folder.path + "/visit.csv"
        try """
        start,end,day,region,household
        2026-11-22T09:00:00+00:00,2026-11-22T09:45:30+00:00,2026-11-22,north,MAR-001
        """.write(toFile: visit, atomically: true, encoding: .utf8)
        try await staff.does("import", "visit", visit)
        #expect(try await staff.figures()["minutes"] == .double(45.5))
        let columns = try await staff.shared("export", "visit")
        #expect(!columns.output.contains("consent"), "\(columns.output)")
        // A record is named by its answers.
        let john = try await staff.shared("show", "household", "MAR-001")
        #expect(john.output.contains("John - St. Maria School - 0816735922"), "\(john.output)")
        for device in [staff, a, b] { await device.terminate() }
    }
}
