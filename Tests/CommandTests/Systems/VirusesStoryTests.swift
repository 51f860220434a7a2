import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Four clinics on one Wi-Fi: one form, one room, four databases.
@Suite(.serialized) struct VirusesStoryTests {
    @Test(.timeLimit(.minutes(3)))
    func `blood pressure comes to the form while a clinic is away`() async throws {
        let first = try await Daemon.installed("common-viruses", name: "clinic-1")
        let code = try await first.invite("--uses", "3")
        var clinics = [first]
        for number in 2...4 {
            clinics.append(
                try await Daemon.member(
                    "clinic-\(number)", of: first, room: "clinics", code: code))
        }
        // Nothing goes out before somebody says so.
        #expect(try await clinics[1].answer("count", "common-viruses")["entries"].number == 0)
        try await first.does("push")
        try await Daemon.untilIdentical(
            clinics[0], clinics[1], clinics[2], clinics[3], records: 10)
        for clinic in clinics { try await figures(of: clinic) }

        // Six months later the form asks for one thing more, while the fourth clinic is away.
        let away = clinics[3]
        await away.terminate()
        try await first.does(
            "form", "add", Examples.folder + "common-viruses/forms/common-viruses-2.json")
        try await first.does(
            "add", "common-viruses", "Virus_Number=501", "Virus_Name=Measles", "Patient_ID=901",
            "Recovery_Status=42%", "Blood_Pressure=120")
        try await first.does("push")
        try await Daemon.untilIdentical(clinics[0], clinics[1], clinics[2], records: 11)
        for clinic in clinics.prefix(3) { await clinic.terminate() }
        try await away.start()
        try await away.refuses(
            "Blood_Pressure", "add", "common-viruses", "Virus_Number=502", "Virus_Name=Mumps",
            "Patient_ID=902", "Blood_Pressure=110")
        try await away.does(
            "add", "common-viruses", "Virus_Number=502", "Virus_Name=Mumps", "Patient_ID=902",
            "Recovery_Status=42%")
        try await away.does("push")
        for clinic in clinics.prefix(3) { try await clinic.start() }
        try await Daemon.untilIdentical(
            clinics[0], clinics[1], clinics[2], clinics[3], records: 12)
        try await away.does("edit", "common-viruses", "502", "902", "Blood_Pressure=110")
        try await away.does("push")
        for clinic in clinics {
            let isThere = await eventually {
                let stats = try? await clinic.answer("stats", "common-viruses", "Blood_Pressure")
                let field = stats?["fields"][0]
                // Old entries show it empty, new ones have it.
                return field?["n"].number == 2 && field?["missing"].number == 10
            }
            #expect(isThere, "\(clinic.name)")
            let old = try await clinic.answer("list", "common-viruses", "Blood_Pressure=")
            #expect(old.array?.count == 10)
        }
        try await Daemon.untilIdentical(
            clinics[0], clinics[1], clinics[2], clinics[3], records: 12)
        for clinic in clinics { await clinic.terminate() }
    }

    @Test(.timeLimit(.minutes(2)))
    func `6,000 records take little, and 217 connections keep nobody out`() async throws {
        let first = try await Daemon.installed("common-viruses", "--no-data", name: "clinic-1")
        let second = try await Daemon.member(
            "clinic-2", of: first, room: "clinics", code: try await first.invite())
        let file = first.folder.path + "/many.csv"
        var csv = "Virus_Number,Virus_Name,Patient_ID,Patient_Fname,Patient_Lname,Recovery_Status\n"
        for number in 0..<6_000 {
            csv +=
                "\(400 + number % 9),Virus \(number % 9),\(number),Name,Family,\(number % 101)%\n"
        }
        try csv.write(toFile: file, atomically: true, encoding: .utf8)
        try await first.does("import", "common-viruses", file)
        let strangers = try (0..<217).map { _ in try RawPeer(port: first.port) }
        try await first.does("push")
        try await Daemon.untilIdentical(first, second, records: 6_000)
        withExtendedLifetime(strangers) {}
        for clinic in [first, second] {
            let room = try clinic.file("clinics")
            let bytes = try ["", "-wal"].compactMap { ending in
                try FileManager.default.attributesOfItem(atPath: room + ending)[.size] as? Int
            }.reduce(0, +)
            // Far below the 270 MB that 6,000 records may take.
            #expect(bytes < 27 << 20, "\(bytes)")
        }
    }

    /// What the ten entries come to, on every device.
    private func figures(of clinic: Daemon) async throws {
        let names = try await clinic.counts("common-viruses", by: "Patient_Fname")
        #expect(names.count == 8 && names["Sara"] == 2 && names["Jacob"] == 2)
        #expect(names.values.count { $0 == 1 } == 6)
        let viruses = try await clinic.counts("common-viruses", by: "Virus_Name")
        #expect(viruses.count == 9 && viruses["Chickenpox"] == 2)
        #expect(viruses.values.count { $0 == 1 } == 8)
        #expect(try await clinic.counts("common-viruses", by: "Virus_Number").count == 9)
        let stats = try await clinic.answer("stats", "common-viruses", "Recovery_Status")
        let recovery = stats["fields"][0]
        #expect(recovery["n"].number == 10 && recovery["mean"] == .double(42))
        #expect(recovery["median"] == .double(40))
        #expect(recovery["min"].number == 10 && recovery["max"].number == 75)
        let of412 = try await clinic.answer(
            "list", "common-viruses", "Virus_Number=412", "--sort", "-Patient_ID")
        #expect(of412.array?.compactMap { $0["Patient_Fname"].string } == ["Isabella", "Sara"])
        #expect(of412.array?.compactMap { $0["Patient_ID"].number } == [852, 125])
        let units = try await clinic.shared("export", "common-viruses", "--units")
        #expect(units.output.contains(",70%\n"), "\(units.output)")
        for (kind, field) in [
            ("pie", "Patient_Fname"), ("bar", "Virus_Name"), ("histogram", "Recovery_Status"),
        ] {
            try await clinic.does("chart", kind, "common-viruses", field)
        }
        try await clinic.does(
            "chart", "line", "common-viruses", "Recovery_Status", "--agg", "mean")
    }
}
