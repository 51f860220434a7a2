import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// One identity on two machines at once.
@Suite(.serialized) struct DuplicateIdentityTests {
    /// The devices whose identity a daemon shows to run on two machines.
    private func duplicates(shownBy daemon: Daemon) async throws -> [String] {
        let faults = try await daemon.answer("status")["faults"].array ?? []
        return faults.filter { $0["kind"].string == "two_machines" }
            .compactMap { $0["device"]["id"].string }
    }

    private func lines(_ words: String, in daemon: Daemon) -> Int {
        daemon.log.split(separator: "\n").count { $0.contains(words) }
    }

    @Test func `two machines with one identity are reported everywhere, and once`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = try await b.ownID()
        let copy = try await Daemon("ward-2b", peers: [a, b], copy: try await b.copyData())
        for daemon in [a, b, copy] {
            let isShown = await eventually(within: .seconds(40)) {
                (try? await duplicates(shownBy: daemon)) == [id]
            }
            #expect(isShown, "\(daemon.name): \(daemon.log)")
        }
        // Meeting again is nothing new.
        for _ in 0..<3 {
            await copy.terminate()
            try await copy.start()
        }
        try await Daemon.untilIdentical(a, b, copy)
        #expect(lines("an identity runs on two machines", in: a) == 1)
        #expect(lines("this identity runs on another machine", in: b) == 1)
        for daemon in [a, b] {
            let doctor = try await daemon.shared("doctor").words
            #expect(doctor.contains("shared identity new"), "\(doctor)")
        }

        // Both write; whichever branches come of it, all of it is everywhere.
        var names: [String] = []
        for round in 1...5 {
            for daemon in [b, copy] {
                names.append("\(daemon.name) \(round)")
                try await daemon.add("\(daemon.name) \(round)")
            }
            async let first = b.shared("push", "--timeout", "20s")
            async let second = copy.shared("push", "--timeout", "20s")
            #expect(try await first.code == 0)
            #expect(try await second.code == 0)
        }
        try await Daemon.untilIdentical(a, b, copy, records: names.count)
        for daemon in [a, b, copy] {
            #expect(try await daemon.names() == names.sorted())
            #expect(try await daemon.answer("conflicts") == .array([]))
            #expect(try await daemon.shared("verify").code == 0)
        }
        #expect(try await a.dump() == copy.dump())
        #expect(try await a.dump() == b.dump())
    }

    @Test func `who stays with an identity keeps its name when the copy has another one`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let id = try await b.ownID()
        let copy = try await Daemon("ward-2b", peers: [a, b], copy: try await b.copyData())
        let isShown = await eventually(within: .seconds(40)) {
            (try? await duplicates(shownBy: a)) == [id]
        }
        try #require(isShown)
        try #require(try await copy.shared("identity", "new").code == 0)
        let isNamed = await eventually(within: .seconds(20)) {
            let members = try? await a.answer("members").array
            return members?.first { $0["id"].string == id }?["name"].string == "ward-2"
        }
        let told = try await a.shared("members")
        #expect(isNamed, "\(told)")
    }

    @Test func `a device that is killed and started again is not taken for two`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        for _ in 0..<3 {
            await b.kill()
            try await b.start()
            #expect(try await b.answer("sync", "--wait", "30s")["identical"].isTrue)
        }
        for daemon in [a, b] {
            #expect(try await duplicates(shownBy: daemon) == [])
            #expect(lines("two machines", in: daemon) == 0)
        }
    }

    @Test func `a log with nine branches is refused alike by all`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("before")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.terminate()
        let copy = try await b.copyData()
        await a.terminate()
        // Nine machines go on from one place, each alone.
        let branches = try await withThrowingTaskGroup(of: DataCopy.self) { group in
            for number in 1...9 {
                group.addTask {
                    let branch = try await Daemon("branch-\(number)", copy: copy)
                    try await branch.add("entry \(number)")
                    #expect(try await branch.shared("push", "--timeout", "1s").code == 0)
                    await branch.terminate()
                    return try await branch.copyData()
                }
            }
            return try await group.reduce(into: [DataCopy]()) { $0.append($1) }
        }
        try await a.start()
        for (place, branch) in branches.enumerated() {
            try b.restore(branch)
            try await b.start()
            let count = place < 8 ? place + 2 : 0
            try await Daemon.untilIdentical(a, b, records: count)
            if count > 0 { await b.terminate() }
        }
        let c = try await Daemon.member("ward-3", of: a)
        try await Daemon.untilIdentical(a, b, c, records: 0)
        for daemon in [a, b, c] {
            #expect(try await daemon.branches() == [9])
            let fault = try await daemon.answer("status")["faults"][0]
            #expect(fault["refused"].isTrue)
            #expect(fault["branches"].number == 9)
            #expect(fault["hint"].string?.contains("shared accept") == true)
            #expect(try await daemon.status()["refused"].number == 10)
            #expect(try await daemon.shared("verify").code == 0)
        }
    }
}
