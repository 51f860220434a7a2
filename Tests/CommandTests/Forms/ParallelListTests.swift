import Foundation
import JSON
import ShareTestKit
import Testing

/// A list that two people change while they do not meet.
@Suite(.serialized) struct ParallelListTests {
    private func add(_ rows: String?, on daemon: Daemon) async throws {
        let run =
            if let rows {
                try await daemon.shared(
                    "lists", "add", "-", "--name", "fur", input: "name,label\n\(rows)\n")
            } else {
                try await daemon.shared("lists", "remove", "fur")
            }
        try #require(run.code == 0, "\(run)")
    }

    /// Two daemons with a list.
    private func pair() async throws -> (coord: Daemon, amina: Daemon) {
        let coord = try await Daemon.clinic("coord")
        let amina = try await Daemon.member("amina", of: coord, role: "editor")
        try await add("cat,Cat", on: coord)
        try await Daemon.untilIdentical(coord, amina)
        return (coord, amina)
    }

    /// Has each of them change the list while the other is off, the editor later; then they meet.
    private func addApart(
        _ one: String?, on owner: Daemon, _ other: String?, on editor: Daemon
    ) async throws {
        try await Daemon.apart(
            owner, { try await add(one, on: owner) }, editor, { try await add(other, on: editor) })
    }

    /// What each way to look says of the list, which is one line.
    private func looks(_ daemon: Daemon) async throws -> [String] {
        let status = try await daemon.shared("status")
        let lists = try await daemon.shared("lists")
        let shown = try await daemon.shared("lists", "show", "fur")
        #expect(!lists.output.contains("at once") && !shown.output.contains("at once"))
        return [status.words, lists.errors, shown.errors]
    }

    @Test(.timeLimit(.minutes(3)))
    func `who looks at a list that was changed twice at once is told until it is changed again`()
        async throws
    {
        let (coord, amina) = try await pair()
        try await addApart("cat,Cat\ndog,Dog", on: coord, "cat,Cat\nfox,Fox", on: amina)
        for daemon in [coord, amina] {
            for text in try await looks(daemon) {
                #expect(
                    text.contains("list fur: two versions were made at once, by coord ("),
                    "\(text)")
                #expect(
                    text.contains(
                        "): amina's is in force. To offer what both have, add one made of both:"
                            + " shared lists add fur.csv; shared lists export fur --by coord writes"
                            + " the other"), "\(text)")
            }
            let told = try await daemon.status()["parallel_lists"]
            #expect(told.array?.count == 1 && told[0]["list"].string == "fur")
            #expect(told[0]["in_force"]["by"]["name"].string == "amina")
            #expect(told[0]["others"].array?.count == 1)
            #expect(told[0]["others"][0]["by"]["name"].string == "coord")
            #expect(told[0]["others"][0]["rows"].number == 2)
            #expect(try await daemon.answer("lists")[0]["parallel"] == told[0])
            // Each can be had, on every device.
            for (name, rows) in [("coord", "dog,Dog"), ("AMINA", "fox,Fox")] {
                let file = try await daemon.shared("lists", "export", "fur", "--by", name)
                #expect(file.output == "name,label\ncat,Cat\n\(rows)\n", "\(file)")
            }
            let nobody = try await daemon.shared("lists", "export", "fur", "--by", "bela")
            nobody.expectProblem("bela made none of the versions of fur", code: 1)
        }
        let both = "cat,Cat\ndog,Dog\nfox,Fox"
        let trial = try await coord.shared(
            "lists", "add", "-", "--name", "fur", "--dry-run", input: "name,label\n\(both)\n")
        #expect(
            trial.errors.contains("list fur was changed at once, by amina (")
                && trial.errors.contains("): this takes the place of both"), "\(trial)")
        try await add(both, on: coord)
        try await Daemon.untilIdentical(coord, amina)
        for daemon in [coord, amina] {
            for text in try await looks(daemon) { #expect(!text.contains("at once"), "\(text)") }
            #expect(try await daemon.status()["parallel_lists"].array?.isEmpty == true)
            #expect(try await daemon.answer("lists")[0]["parallel"] == .null)
        }
        let late = try await coord.shared("lists", "export", "fur", "--by", "amina")
        late.expectProblem("nobody has changed fur at once", code: 2)
    }

    @Test(.timeLimit(.minutes(3)))
    func `the same file on both is no other version; the one in force can be settled on`()
        async throws
    {
        let (coord, amina) = try await pair()
        try await addApart("cat,Cat\ndog,Dog", on: coord, "cat,Cat\ndog,Dog", on: amina)
        for text in try await looks(coord) { #expect(!text.contains("at once"), "\(text)") }
        #expect(try await coord.status()["parallel_lists"].array?.isEmpty == true)
        try await addApart("cat,Cat", on: coord, "fox,Fox", on: amina)
        #expect(try await coord.status()["parallel_lists"].array?.count == 1)
        // What is in force already is new to whoever made the other.
        try await add("fox,Fox", on: coord)
        try await Daemon.untilIdentical(coord, amina)
        for daemon in [coord, amina] {
            for text in try await looks(daemon) { #expect(!text.contains("at once"), "\(text)") }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `a list that one takes away while another changes it is told, and stays so when asked`()
        async throws
    {
        let (coord, amina) = try await pair()
        try await addApart(nil, on: coord, "cat,Cat\nfox,Fox", on: amina)
        for text in try await looks(coord) {
            #expect(text.contains("list fur: taken away by coord ("), "\(text)")
            #expect(text.contains(") and changed by amina ("), "\(text)")
            #expect(text.contains(") at once: amina's is in force."), "\(text)")
        }
        let none = try await coord.shared("lists", "export", "fur", "--by", "coord")
        none.expectProblem("coord has taken fur away", code: 1)
        try await addApart("cat,Cat\nhen,Hen", on: coord, nil, on: amina)
        for daemon in [coord, amina] {
            let lists = try await daemon.shared("lists")
            #expect(
                lists.errors.contains("list fur was taken away and changed at once: shared status"),
                "\(lists)")
            let status = try await daemon.shared("status").words
            #expect(
                status.contains("list fur: changed by coord (")
                    && status.contains(") at once: it is taken away. To have it, add it again:"),
                "\(status)")
        }
        let other = try await amina.shared("lists", "export", "fur", "--by", "coord")
        #expect(other.output == "name,label\ncat,Cat\nhen,Hen\n", "\(other)")
        try await add(nil, on: amina)
        try await Daemon.untilIdentical(coord, amina)
        #expect(try await coord.status()["parallel_lists"].array?.isEmpty == true)
        try await coord.shared("lists", "remove", "fur").expectProblem("no list \"fur\"")
    }
}
