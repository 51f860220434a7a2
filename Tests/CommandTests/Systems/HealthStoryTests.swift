import JSON
import ShareControl
import ShareTestKit
import Testing

/// A person's log and a consultant who reads all and writes messages only.
@Suite(.serialized) struct HealthStoryTests {
    @Test(.timeLimit(.minutes(3)))
    func `a consultant writes messages and nothing else; foods are found by category`()
        async throws
    {
        let person = try await Daemon.installed("health-log", name: "person")
        let code = try await person.invite("--role", "collector", "--forms", "message")
        let consultant = try await Daemon.member(
            "consultant", of: person, room: "health", code: code)
        try await person.does("push")
        try await Daemon.untilIdentical(person, consultant)
        // Reads all.
        #expect(try await consultant.counts("diet", by: "day").count == 2)
        try await consultant.refuses(
            "was not assigned the form pressure", "add", "pressure",
            "measured=2026-11-22T08:00:00+00:00", "systolic=120",
            "diastolic=80")
        for (kind, subject) in [
            ("care", "Less salt"), ("activity", "Walk"), ("information", "A leaflet"),
        ] {
            try await consultant.does("add", "message", "kind=\(kind)", "subject=\(subject)")
        }
        try await consultant.does(
            "add", "message", "kind=appointment", "subject=See you",
            "appointment=2026-12-01T10:00:00+00:00")
        try await consultant.does("push")
        try await Daemon.untilIdentical(person, consultant)
        let messages = try await person.answer("view", "messages")
        #expect(
            messages.array?.compactMap { $0["subject"].string }
                == ["See you", "A leaflet", "Walk", "Less salt"])

        // Added, changed and deleted while apart; deletes travel.
        await person.terminate()
        try await person.start(withPeers: false)
        try await person.does(
            "add", "pressure", "measured=2026-11-23T08:00:00+00:00", "systolic=121", "diastolic=79")
        let weights = try await person.answer("list", "weight", "--sort", "measured")
        let first = try #require(weights[0]["_id"].string)
        try await person.does("delete", first)
        let second = try #require(weights[1]["_id"].string)
        try await person.does("edit", second, "weight=81.8")
        try await consultant.does("add", "message", "kind=care", "subject=Meanwhile")
        try await consultant.does("push")
        try await person.does("push")
        try await Daemon.untilIdentical(person, consultant)
        #expect(try await consultant.answer("count", "weight")["entries"].number == 3)
        #expect(try await consultant.answer("show", second)["weight"] == .double(81.8))
        #expect(try await person.answer("count", "message")["entries"].number == 5)

        let beans = try await person.answer("search", "BEAN")
        let groups = (beans["lists"][0]["groups"].array ?? []).map { group in
            "\(group["name"].string ?? ""): "
                + (group["choices"].array ?? []).compactMap(\.string).joined(separator: ", ")
        }
        #expect(
            groups == [
                "Edible Oil: Soya Bean oil",
                "Eggs and Milk: Bean Curd, Bean Curd Skin, Frozen Bean Curd, Soya Bean Milk",
                "Vegetables: Mung Bean sprouts, Yellow Bean sprouts, Soya Bean, Mung bean",
            ])
        // The last 20, none twice, newest first, here alone, until they are forgotten.
        for number in 1...21 { try await person.does("search", "food \(number)") }
        try await person.does("search", "food 5")
        let searches = try await person.answer("search")["searches"].array?.compactMap(\.string)
        #expect(searches?.count == 20)
        #expect(searches?.prefix(3) == ["food 5", "food 21", "food 20"])
        #expect(searches?.count { $0 == "food 5" } == 1 && searches?.contains("BEAN") == false)
        #expect(try await consultant.answer("search")["searches"].array?.isEmpty == true)
        try await person.does("search", "--clear")
        #expect(try await person.answer("search")["searches"].array?.isEmpty == true)
        await person.terminate()
        await consultant.terminate()
    }
}
