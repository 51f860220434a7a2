import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// The systems under examples/, set up and asked for their figures with the real programs.
@Suite(.serialized) struct SystemsTests {
    @Test(.timeLimit(.minutes(2)))
    func `common viruses: slices, means, the master list, and a field that comes later`()
        async throws
    {
        let clinic = try await Daemon.installed("common-viruses")
        let names = try await clinic.answer("count", "common-viruses", "--by", "Patient_Fname")
        let counts = (names["groups"].array ?? []).compactMap { $0["entries"].number }
        #expect(counts.sorted(by: >) == [2, 2, 1, 1, 1, 1, 1, 1])
        let twice = (names["groups"].array ?? []).filter { $0["entries"].number == 2 }
            .compactMap { $0["keys"][0]["value"].string }
        #expect(Set(twice) == ["Sara", "Jacob"])
        let viruses = try await clinic.answer("count", "common-viruses", "--by", "Virus_Name")
        #expect(viruses["groups"].array?.count == 9)

        let stats = try await clinic.answer("stats", "common-viruses", "Recovery_Status")
        let recovery = stats["fields"][0]
        #expect(recovery["n"].number == 10)
        #expect(recovery["mean"] == .double(42) && recovery["median"] == .double(40))
        #expect(recovery["min"].number == 10 && recovery["max"].number == 75)

        let numbers = try await clinic.answer("count", "common-viruses", "--by", "Virus_Number")
        #expect(numbers["groups"].array?.count == 9)
        let chickenpox = try await clinic.answer("list", "common-viruses", "Virus_Number=412")
        let patients = (chickenpox.array ?? []).map {
            "\($0["Patient_ID"].number ?? 0) \($0["Patient_Fname"].string ?? "")"
        }
        #expect(patients.sorted() == ["125 Sara", "852 Isabella"])

        let later = try await clinic.shared(
            "form", "add", Examples.folder + "common-viruses/forms/common-viruses-2.json")
        #expect(later.code == 0, "\(later.errors)")
        let added = try await clinic.shared(
            "add", "common-viruses", "Virus_Number=413", "Virus_Name=Hepatitis A",
            "Patient_ID=126", "Blood_Pressure=120")
        #expect(added.code == 0, "\(added.errors)")
        let pressures = try await clinic.answer("stats", "common-viruses", "Blood_Pressure")
        #expect(pressures["fields"][0]["n"].number == 1)
        #expect(pressures["fields"][0]["missing"].number == 10)
        await clinic.terminate()
    }

    @Test(.timeLimit(.minutes(2)))
    func `career progress: credits and a grade point average that is empty, not NaN`() async throws
    {
        let student = try await Daemon.installed("career-progress")
        var found = try await student.figures()
        for (name, value) in [
            ("enrolled", 1.0), ("passed", 1), ("failed", 0), ("taken", 1), ("earned", 3),
            ("points", 12), ("gpa", 4), ("core", 3), ("electives", 0),
        ] {
            #expect(found[name] == .double(value), "\(name): \(found[name]?.shown ?? "none")")
        }
        let gpa = try await student.answer("stats", "course", "grade_value", "--weight", "credits")
        #expect(gpa["fields"][0]["mean"] == .double(4))
        #expect(gpa["fields"][0]["weighted"].number == 1)
        let edited = try await student.shared("edit", "course", "EDGC-656", "grade=B")
        #expect(edited.code == 0, "\(edited.errors)")
        found = try await student.figures()
        #expect(found["points"] == .double(9) && found["gpa"] == .double(3))
        // A grade only where the status calls for it.
        let early = try await student.shared("edit", "course", "EDGC-666", "grade=A")
        #expect(early.code != 0)
        await student.terminate()

        let fresh = try await Daemon.installed("career-progress", "--no-data")
        found = try await fresh.figures()
        for name in ["enrolled", "passed", "failed", "taken"] {
            #expect(found[name] == .double(0), "\(name): \(found[name]?.shown ?? "none")")
        }
        #expect(found["gpa"] == .null)
        await fresh.terminate()
    }

    @Test(.timeLimit(.minutes(2)))
    func `health log: the body mass index, and energy by day from foods and grams`() async throws {
        let person = try await Daemon.installed("health-log")
        let weights = try await person.answer("list", "weight", "--sort", "measured")
        let indices = (weights.array ?? []).map { $0["bmi"] }
        #expect(indices == [27.2, 27.1, 26.8, 26.6].map(JSONValue.double))
        let days = try await person.answer("view", "energy")
        let sums = (days["figures"]["groups"].array ?? []).map { group in
            if case .double(let sum) = group["sum"] { (sum * 10).rounded() } else { 0.0 }
        }
        #expect(sums == [8717, 8196], "\(days.shown)")
        // Out of range is taken, and flagged with a tip.
        let high = try await person.shared(
            "add", "pressure", "measured=2026-11-22T08:00:00+00:00", "systolic=160",
            "diastolic=95")
        #expect(high.code == 0)
        #expect((high.output + high.errors).contains("rest five minutes"), "\(high.errors)")
        let wrong = try await person.shared(
            "add", "pressure", "measured=2026-11-22T08:10:00+00:00", "systolic=90",
            "diastolic=95")
        #expect(wrong.code != 0 && wrong.errors.contains("smaller than the upper one"))
        await person.terminate()
    }

    @Test(.timeLimit(.minutes(2)))
    func `water: figures, and refusals in the form's own words`() async throws {
        let staff = try await Daemon.installed("water-sanitation")
        let found = try await staff.figures()
        #expect(found["under5"] == .double(9) && found["koro"] == .double(2))
        let number = try await staff.shared(
            "add", "household", "region=north", "district=koro_district", "village=koro",
            "number=K1", "head=Awa", "members=3")
        #expect(number.code != 0 && number.errors.contains("three digits: KOR-001"))
        let broken = try await staff.shared("view", "broken")
        #expect(broken.output.contains("pump handle broken"))
        await staff.terminate()
    }

    @Test(.timeLimit(.minutes(2)))
    func `butterflies: sightings lie in their survey, and are counted by species`() async throws {
        let nina = try await Daemon.installed("butterfly-survey")
        let found = try await nina.figures()
        #expect(found["total"] == .double(26))
        let species = try await nina.answer("view", "species")
        let sums = (species["figures"]["groups"].array ?? []).compactMap { group -> Double? in
            if case .double(let sum) = group["sum"] { sum } else { nil }
        }
        #expect(sums.reduce(0, +) == 26)
        let walk = try await nina.answer("list", "survey", "site=Mill meadow")
        #expect(walk.array?.count == 1 && walk[0]["sighting"].array?.count == 4, "\(walk.shown)")
        let thistles = try await nina.shared("search", "thistles")
        #expect(thistles.output.contains("on thistles by the mill"), "\(thistles.errors)")
        await nina.terminate()
    }
}

/// The folder examples/ of the project.
enum Examples {
    static let folder = Repository.url("examples").path + "/"
}

extension Daemon {
    /// A daemon with a room that a package of examples/ has set up.
    static func installed(
        _ package: String, _ more: String..., name: String = "ward-1"
    ) async throws -> Daemon {
        let daemon = try await Daemon(name)
        let run = try await daemon.shared(
            ["package", "install", Examples.folder + package] + more, input: nil)
        try #require(run.code == 0, "\(run.output)\(run.errors)")
        return daemon
    }

    /// A daemon that joined a room with an invite of another's.
    static func member(
        _ name: String, of other: Daemon, room: String, code: String
    ) async throws -> Daemon {
        let daemon = try await Daemon(name, peers: [other])
        let run = try await daemon.shared("join", room, "--code", code)
        try #require(run.code == 0, "\(name) cannot join: \(run.errors)")
        return daemon
    }

    /// The code of a new invite.
    func invite(_ options: String...) async throws -> String {
        let run = try await shared(["invite"] + options + ["--json"])
        try #require(run.code == 0, "\(run.errors)")
        return try #require(try JSONValue(text: Array(run.output.utf8))["code"].string)
    }

    /// Runs a command that has to end well.
    func does(
        _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let run = try await shared(arguments)
        try #require(
            run.code == 0, "\(name): \(arguments): \(run.output)\(run.errors)",
            sourceLocation: sourceLocation)
    }

    /// Runs a command that has to be refused, with words that say why.
    func refuses(
        _ reason: String, _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let run = try await shared(arguments)
        #expect(
            run.code != 0 && run.errors.contains(reason),
            "\(name): \(arguments): \(run.output)\(run.errors)", sourceLocation: sourceLocation)
    }

    /// The value of each figure among the views.
    func figures() async throws -> [String: JSONValue] {
        var figures: [String: JSONValue] = [:]
        for view in try await answer("view").array ?? [] {
            guard let name = view["name"].string, let value = view.object?["value"] else {
                continue
            }
            figures[name] = value
        }
        return figures
    }

    /// How many entries each group has, by its label.
    func counts(_ form: String, by field: String) async throws -> [String: Int] {
        let answer = try await answer("count", form, "--by", field)
        return Dictionary(
            (answer["groups"].array ?? []).compactMap { group in
                group["keys"][0]["label"].string.map { ($0, group["entries"].number ?? 0) }
            }, uniquingKeysWith: +)
    }
}
