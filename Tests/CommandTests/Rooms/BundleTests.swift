import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Devices that never meet on a network, and a stick between them.
@Suite(.serialized) struct BundleTests {
    private let stick: ScratchFolder

    init() throws { stick = try ScratchFolder() }

    private func file(_ name: String) -> String { stick.path + "/" + name }

    /// Admits a device by a request on the stick, as the owner would.
    private func admit(_ newcomer: Daemon, to owner: Daemon, as role: String) async throws {
        let request = file("\(newcomer.name).request")
        #expect(try await newcomer.shared("bundle", "write", request, "--join").code == 0)
        let id = try await newcomer.ownID()
        let admitted = try await owner.answer(
            "bundle", "read", request, "--admit", id, "--role", role)
        #expect(admitted["admitted"]["role"].string == role)
        #expect(try await owner.shared("bundle", "write", file("room")).code == 0)
        let read = try await newcomer.shared("bundle", "read", file("room"), "--join")
        #expect(read.code == 0, "\(read.errors)")
    }

    @Test func `a device joins and shares with a stick alone`() async throws {
        let a = try await Daemon.clinic("ward-1")
        for number in 1...3 { try await a.add("person \(number)") }
        let b = try await Daemon("ward-9")
        let id = try await b.ownID()

        // Asking: the screen shows what the owner compares.
        let wrote = try await b.shared("bundle", "write", file("ask"), "--join")
        let shown = id.dropFirst(4).prefix(16)
        #expect(wrote.output.replacing(" ", with: "").contains(shown), "\(wrote.output)")

        // The owner sees who asks, and has to have compared enough of the id.
        let listed = try await a.shared("bundle", "read", file("ask"))
        #expect(listed.code == 0, "\(listed.errors)")
        #expect(listed.output.contains("ward-9 asks to be admitted"))
        #expect(listed.output.replacing(" ", with: "").contains(shown), "\(listed.output)")
        #expect(try await a.answer("members").array?.count == 1)
        try await a.shared("bundle", "read", file("ask"), "--admit", String(id.prefix(12)))
            .expectProblem("first 16 characters", code: 2)
        try await a.shared(
            "bundle", "read", file("ask"), "--admit", "dev:" + String(repeating: "a", count: 16)
        ).expectProblem("no device of that id asks")
        let admitted = try await a.shared("bundle", "read", file("ask"), "--admit", id)
        #expect(admitted.output.contains("is now collector in clinic"), "\(admitted.errors)")
        // Again: the same grant.
        let again = try await a.shared("bundle", "read", file("ask"), "--admit", id)
        #expect(again.code == 0)
        #expect(again.output.contains("is collector in clinic already, and stays that"))
        // A role that a grant cannot give is not passed over in silence.
        let less = try await a.shared(
            "bundle", "read", file("ask"), "--admit", id, "--role", "viewer")
        #expect(less.output.contains("is collector in clinic already, and stays that"))
        let short = id.dropFirst(4).prefix(8)
        #expect(less.errors.contains("shared role \(short) viewer"), "\(less.errors)")
        #expect(try await a.shared("bundle", "write", file("room")).code == 0)

        // The newcomer says that it wants to.
        try await b.shared("bundle", "read", file("room"))
            .expectProblem("the file admits it as collector")
        #expect(try await b.answer("rooms").array?.isEmpty == true)
        let joined = try await b.answer("bundle", "read", file("room"), "--join")
        #expect(joined["joined"].isTrue)
        #expect(joined["role"].string == "collector")
        #expect(joined["identical"].isTrue)
        #expect(joined["founder"]["name"].string == "ward-1")
        try await Daemon.untilIdentical(a, b, records: 3)

        // And back: its own entry, on the same stick.
        try await b.add("from ward 9")
        #expect(try await a.shared("status").words.contains("3 entries on this device alone"))
        #expect(try await b.shared("bundle", "write", file("back")).code == 0)
        let read = try await a.answer("bundle", "read", file("back"))
        #expect(read["new_entries"].number == 1 && read["decisions"].number == 0)
        #expect(read["batches"]["new"].number == 1)
        #expect(read["accepted"].number == 1)
        #expect(read["identical"].isTrue)
        let status = try await a.shared("status")
        #expect(
            status.words.contains("never met; what is here of it came by file"), "\(status)")
        // What the writer's file brings back, its writer has.
        #expect(!status.words.contains("on this device alone"), "\(status)")
        let list = try await a.shared("list", "visit", "--columns", "name,_notes")
        #expect(!list.words.contains("nobody else has it"), "\(list)")
        let twice = try await a.answer("bundle", "read", file("back"))
        #expect(twice["batches"]["new"].number == 0)
        #expect(twice["batches"]["known"].number == twice["batches"]["in_file"].number)
        try await Daemon.untilIdentical(a, b, records: 4)
        #expect(try await a.dump() == b.dump())
        #expect(try await a.shared("members").output.contains("ward-9"))
        for daemon in [a, b] { #expect(try await daemon.shared("verify").code == 0) }
    }

    @Test(.timeLimit(.minutes(3)))
    func `of a member that is away nothing is said to lack that its own file has`() async throws {
        let coord = try await Daemon.clinic("coord")
        let bakary = try await Daemon.member("bakary", of: coord)
        try await Daemon.untilIdentical(coord, bakary)
        func progress(_ daemon: Daemon) async throws -> JSONValue {
            try await daemon.status()["others"][0]
        }
        await coord.terminate()
        try await bakary.add("Sara")
        let written = try await bakary.shared("bundle", "write", file("bakary"))
        #expect(written.code == 0, "\(written.errors)")
        await bakary.terminate()

        // It has what it wrote itself.
        try await coord.start()
        let read = try await coord.answer("bundle", "read", file("bakary"))
        #expect(read["new_entries"].number == 1)
        let status = try await coord.shared("status")
        #expect(!status.words.contains("lacks"), "\(status)")
        #expect(try await progress(coord)["behind"].number == 0)
        #expect(try await coord.shared("bundle", "write", file("coord")).code == 0)
        await coord.terminate()

        // And the other one has what its file brings back, also after a restart.
        try await bakary.start()
        #expect(try await bakary.shared("status").words.contains("coord not met since"))
        #expect(try await progress(bakary)["behind"].number == 1)
        #expect(try await bakary.shared("bundle", "read", file("coord")).code == 0)
        #expect(try await progress(bakary)["state"].string == "away")
        #expect(try await progress(bakary)["behind"].number == 0)
        await bakary.kill()
        try await bakary.start()
        #expect(try await progress(bakary)["behind"].number == 0)
        // What is made after that it lacks.
        try await bakary.add("Zara")
        _ = try await bakary.shared("push", "--timeout", "0s")
        #expect(try await progress(bakary)["behind"].number == 1)
    }

    @Test func `who joined by a stick has its name everywhere`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let c = try await Daemon("ward-9")
        try await admit(c, to: a, as: "collector")
        let id = String(try await c.ownID().dropFirst(4).prefix(8))
        func isNamed(_ daemon: Daemon) async -> Bool {
            await eventually {
                let output = try? await daemon.shared("members").output
                return output?.contains("ward-9  \(id)") == true
            }
        }
        #expect(await isNamed(b))
        // Who comes later hears it as well, from an owner that has been started anew.
        await a.terminate()
        try await a.start()
        let d = try await Daemon.member("ward-4", of: a)
        #expect(await isNamed(d))
    }

    @Test func `a file that does not admit the reader makes no room`() async throws {
        let a = try await Daemon.clinic()
        try await a.add("Sara")
        #expect(try await a.shared("bundle", "write", file("room")).code == 0)
        let b = try await Daemon("thief")
        for more in [[], ["--join"]] {
            let run = try await b.shared(["bundle", "read", file("room")] + more)
            run.expectProblem("the file does not admit it")
            #expect(run.errors.contains("bundle write FILE --join"))
        }
        #expect(try await b.answer("rooms").array?.isEmpty == true)
        let left = try FileManager.default.contentsOfDirectory(atPath: b.data + "/rooms")
        #expect(left == [])
    }

    @Test func `of a cut or changed file what is sound is kept, and told`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon("ward-2")
        try await admit(b, to: a, as: "collector")
        for number in 1...8 {
            try await a.add("person \(number)")
            #expect(try await a.shared("push", "--timeout", "0s").code == 0)
        }
        #expect(try await a.shared("bundle", "write", file("all")).code == 0)
        let whole = try Data(contentsOf: URL(filePath: file("all")))

        try whole.prefix(whole.count * 2 / 3).write(to: URL(filePath: file("cut")))
        let cut = try await b.shared("bundle", "read", file("cut"), "--json")
        #expect(cut.code == 1)
        #expect(cut.problem?.code == .badFile)
        #expect(cut.problem?.detail.contains("breaks off after byte") == true)
        let answer = try JSONValue(text: Array(cut.output.utf8))
        #expect(answer["complete"] == .bool(false))
        let first = try #require(answer["batches"]["new"].number)
        #expect((1..<8).contains(first))
        #expect(try await b.names().count == first)

        // One batch changed: those after it in its log wait for it.
        var changed = whole
        let text = try #require(changed.range(of: Data("person 7".utf8)))
        changed[text.lowerBound] ^= 4
        try changed.write(to: URL(filePath: file("changed")))
        let bad = try await b.shared("bundle", "read", file("changed"), "--json")
        #expect(bad.code == 1)
        let counts = try JSONValue(text: Array(bad.output.utf8))["batches"]
        #expect(counts["damaged"].number == 1, "\(bad.output)")

        // The whole file goes on from there.
        let rest = try await b.answer("bundle", "read", file("all"))
        #expect(rest["identical"].isTrue)
        try await Daemon.untilIdentical(a, b, records: 8)
        #expect(try await b.shared("verify").code == 0)
    }

    @Test func `a file cut off before it admits the reader is called cut`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon("ward-9")
        #expect(try await b.shared("bundle", "write", file("ask"), "--join").code == 0)
        let id = try await b.ownID()
        #expect(try await a.shared("bundle", "read", file("ask"), "--admit", id).code == 0)
        #expect(try await a.shared("bundle", "write", file("room")).code == 0)
        let whole = try Data(contentsOf: URL(filePath: file("room")))
        var said: Set<String> = []
        for length in stride(from: 64, to: whole.count, by: max(1, whole.count / 12)) {
            try whole.prefix(length).write(to: URL(filePath: file("cut")))
            let run = try await b.shared("bundle", "read", file("cut"), "--join")
            #expect(run.code == 1)
            said.formUnion(run.errors.split(separator: "\n").map(String.init))
            if try await b.answer("rooms").array?.isEmpty == false { break }
            run.expectHint("bundle write FILE")
        }
        #expect(said.contains { $0.contains("breaks off") && $0.contains("could be kept") })
        // What follows the admission is read from the whole file.
        let read = try await b.shared("bundle", "read", file("room"), "--join")
        #expect(read.code == 0, "\(read.errors)")
    }

    @Test func `what is no bundle is refused`() async throws {
        let a = try await Daemon.clinic()
        try "name,age\n".write(toFile: file("csv"), atomically: true, encoding: .utf8)
        try await a.shared("bundle", "read", file("csv")).expectProblem(
            "cannot be read as a bundle")
        try Data().write(to: URL(filePath: file("empty")))
        let empty = try await a.shared("bundle", "read", file("empty"))
        #expect(empty.code == 1)
        #expect(empty.errors.contains("no bundle"), "\(empty.errors)")
        try await a.shared("bundle", "read", file("none")).expectProblem("cannot read")
        try await a.shared("bundle", "write", stick.path).expectProblem("directory")
        // Nothing is left under another name either.
        let left = try FileManager.default.contentsOfDirectory(atPath: stick.path)
        #expect(left.sorted() == ["csv", "empty"])
    }

    @Test func `a contributor's file holds what is its own`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try await a.add("secret")
        let b = try await Daemon("phone")
        let request = file("phone.request")
        #expect(try await b.shared("bundle", "write", request, "--join").code == 0)
        let id = try await b.ownID()
        _ = try await a.answer("bundle", "read", request, "--admit", id, "--role", "contributor")
        // The file of a contributor is the same, however it is named.
        let byName = try await a.shared("bundle", "write", file("named"), "--for", "Phone")
        #expect(byName.code == 0, "\(byName.errors)")
        let run = try await a.shared("bundle", "write", file("for-phone"), "--for", id)
        #expect(run.code == 0, "\(run.errors)")
        let read = try await b.answer("bundle", "read", file("for-phone"), "--join")
        #expect(read["role"].string == "contributor")
        #expect(read["identical"] == .null)
        #expect(try await b.names() == [])
        try await b.add("mine")
        #expect(try await b.shared("bundle", "write", file("from-phone")).code == 0)
        #expect(try await a.answer("bundle", "read", file("from-phone"))["accepted"].number == 1)
        #expect(try await a.names() == ["mine", "secret"])
        // Nobody is in the room under that id.
        try await a.shared("bundle", "write", file("x"), "--for", "dev:aaaaaaaa")
            .expectProblem("no device \"dev:aaaaaaaa\" is or was in the room")
    }

    @Test func `an audit file is checked by a program of another language`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        for number in 1...5 { try await b.add("person \(number)") }
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 5)
        #expect(try await a.shared("export", "--audit", file("audit")).code == 0)
        let run = try await Interop.run("verify_audit.py", [file("audit"), "--json"])
        #expect(run.code == 0, "\(run.errors)")
        let report = try JSONValue(text: Array(run.output.utf8))
        #expect(report["records"]["visit"].number == 5)
        #expect(report["digest"].string == (try await a.status())["digest"].string)
        let wrote = report["devices"].array?.first { $0["name"].string == "ward-2" }
        #expect(wrote?["operations"]["put"].number == 5)
        #expect(wrote?["role"].string == "collector")
        let words = try await Interop.run("verify_audit.py", [file("audit")])
        #expect(words.output.contains("5 put; 5 accepted"), "\(words.output)")
        // It is a bundle like any other.
        #expect(try await b.answer("bundle", "read", file("audit"))["identical"].isTrue)
        try await a.shared("export", "visit", "--audit", file("x"))
            .expectProblem("takes no FORM", code: 2)
        try await a.shared("export").expectProblem("FORM is missing", code: 2)
    }
}
