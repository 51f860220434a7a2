import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Entries of removed devices past the cutoff, and a stick that brings them to an owner.
@Suite(.serialized) struct CutoffBundleTests {
    private let stick: ScratchFolder

    init() throws { stick = try ScratchFolder() }

    private func file(_ name: String) -> String { stick.path + "/" + name }

    @Test func `entries past a cutoff come to an owner by a stick, and count once accepted`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let e = try await Daemon.member("ward-2", of: a, role: "editor")
        let c = try await Daemon.member("ward-3", of: a)
        let lost = try await Daemon("tablet", peers: [a, e])
        try await lost.join(a)
        try await Daemon.untilIdentical(a, e, c, lost, records: 0)
        await a.terminate()
        await c.terminate()
        try await lost.add("Sara")
        #expect(try await lost.shared("push").code == 0)
        try await Daemon.untilIdentical(e, lost, records: 1)
        await lost.terminate()
        // Whoever writes the file has not heard of the removal; a collector who reads it has.
        await e.terminate()
        try await a.start()
        try await c.start()
        let id = try #require(try await a.id(of: "tablet").string)
        #expect(try await a.shared("remove", id).code == 0)
        #expect(await eventually { (try? await c.answer("members").array?.count) == 3 })
        await a.terminate()
        // Members know where the others listen.
        await c.terminate()
        try await e.start()
        #expect(try await e.shared("bundle", "write", file("unheard")).code == 0)
        await e.terminate()

        try await c.start()
        let leftOut = try await c.shared("bundle", "read", file("unheard"))
        #expect(leftOut.output.contains("left out: what tablet"))
        #expect(leftOut.errors.contains("read the file on an owner's device"))
        #expect(try await c.answer("refused") == .array([]))
        await c.terminate()

        try await a.start()
        let read = try await a.shared("bundle", "read", file("unheard"))
        #expect(read.code == 0, "\(read.errors)")
        #expect(read.output.contains("nothing new"), "\(read.output)")
        #expect(
            read.output.contains("kept, and counting for nothing: what tablet"), "\(read.output)")
        #expect(!read.output.contains("holds what"))
        #expect(read.errors.contains("shared accept"), "\(read.errors)")
        #expect(try await a.names() == [])
        #expect(try await a.answer("refused").array?.count == 1)
        // Again: nothing more.
        let twice = try await a.answer("bundle", "read", file("unheard"))
        #expect(twice["batches"]["new"].number == 0 && twice["batches"]["kept"].number == 0)

        // Who has heard leaves it out of a file that is for anybody, and says so.
        try await e.start()
        #expect(await eventually { (try? await e.names()) == [] })
        await a.terminate()
        let own = try #require(try await e.id(of: "ward-1").string)
        let plain = try await e.shared("bundle", "write", file("plain"))
        #expect(
            plain.errors.contains("what removed devices wrote later is not in it"),
            "\(plain.errors)")
        #expect(plain.errors.contains("--for \(own.dropFirst(4).prefix(8))"), "\(plain.errors)")
        #expect(try await e.shared("bundle", "write", file("owner"), "--for", own).code == 0)
        let sizes = try ["plain", "owner"].map {
            try Data(contentsOf: URL(filePath: file($0))).count
        }
        #expect(sizes[0] < sizes[1])

        try await a.start()
        let accepted = try await a.shared("accept", id)
        #expect(accepted.code == 0, "\(accepted.errors)")
        #expect(try await a.names() == ["Sara"])
        try await c.start()
        try await Daemon.untilIdentical(a, e, c, records: 1)
        for daemon in [a, e, c] { #expect(try await daemon.shared("verify").code == 0) }
    }

    @Test func `a file for an owner has what only its writer holds of a removed device`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let e = try await Daemon.member("ward-2", of: a, role: "editor")
        let lost = try await Daemon("tablet", peers: [a, e])
        try await lost.join(a)
        try await Daemon.untilIdentical(a, e, lost, records: 0)
        await a.terminate()
        try await lost.add("Sara")
        #expect(try await lost.shared("push").code == 0)
        try await Daemon.untilIdentical(e, lost, records: 1)
        await lost.terminate()
        await e.terminate()
        try await a.start()
        let id = try #require(try await a.id(of: "tablet").string)
        #expect(try await a.shared("remove", id).code == 0)
        #expect(try await a.shared("bundle", "write", file("removal")).code == 0)
        await a.terminate()
        try await e.start()
        #expect(try await e.shared("bundle", "read", file("removal")).code == 0)
        #expect(try await e.names() == [])
        let own = try #require(try await e.id(of: "ward-1").string)
        for (name, more) in [("plain", []), ("owner", ["--for", own])] {
            let run = try await e.shared(["bundle", "write", file(name)] + more)
            #expect(run.code == 0, "\(run.errors)")
        }
        await e.terminate()

        try await a.start()
        let plain = try await a.shared("bundle", "read", file("plain"))
        #expect(plain.output.contains("everything that ward-2"))
        #expect(!plain.output.contains("kept"))
        // Entries that others hold are not accepted unseen; it says how they come here.
        let unseen = try await a.shared("accept", id, "--json")
        #expect(unseen.problem?.code == .nothingRefused)
        #expect(unseen.problem?.hint?.contains("bundle write") == true)
        let read = try await a.answer("bundle", "read", file("owner"))
        #expect(read["batches"]["kept"].number == 1 && read["batches"]["left_out"].number == 0)
        #expect(read["removed"][0]["id"].string == id)
        #expect(try await a.shared("accept", id).code == 0)
        #expect(try await a.names() == ["Sara"])
    }
}
