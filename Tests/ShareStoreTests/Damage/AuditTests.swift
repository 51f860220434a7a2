import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Rooms in files, checked by the program in `Tests/interop` that was written from the documents
/// alone.
struct AuditTests {
    private let scratch = Scratch()

    /// Runs the other program over a file.
    private func check(_ file: [UInt8]) async throws -> Interop.Run {
        let path = scratch.path("room.audit")
        try Data(file).write(to: URL(filePath: path))
        return try await Interop.run("verify_audit.py", [path, "--json"])
    }

    @Test func `another program comes to the same digest as this one for random rooms`()
        async throws
    {
        for round in 0..<6 {
            var random = SeededRandom(seed: AnyOrderTests.seed &+ UInt64(round))
            let bench = try Bench()
            let batches = try AnyOrderTests().story(bench, &random)
            for _ in 0..<3 { try Bench.merge(batches, into: bench.founder) }
            for isWhole in [true, false] {
                let run = try await check(
                    try await BundleFile.write(bench.founder, isWhole: isWhole))
                try #require(
                    run.code == 0,
                    "seed \(AnyOrderTests.seed) round \(round) whole \(isWhole): \(run.errors)")
                let report = try #require(
                    try JSONSerialization.jsonObject(with: Data(run.output.utf8))
                        as? [String: Any])
                let digest = bench.founder.digest.bytes
                    .map { String(format: "%02x", $0) }.joined()
                #expect(report["digest"] as? String == digest)
                #expect(report["stated"] as? Bool == true)
            }
        }
    }

    @Test func `a changed byte anywhere is refused`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append(
            (0..<20).map { bench.row(form, "entry \($0)", Int64($0)) }, wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        let file = try await BundleFile.write(bench.founder)
        let sound = try await check(file)
        #expect(sound.code == 0, "\(sound.errors)")
        // Another process each time, so a sample; this program's own reader gets every byte.
        for place in stride(from: 3, to: file.count, by: max(file.count / 24, 1)) {
            var changed = file
            changed[place] ^= 1 << UInt8(place % 8)
            let run = try await check(changed)
            #expect(run.code == 1, "byte \(place) of \(file.count)")
        }
        for place in file.indices {
            var changed = file
            changed[place] ^= 1 << UInt8(place % 8)
            #expect(BundleFile.read(changed).error != nil, "byte \(place)")
        }
    }

    @Test func `a file that was signed anew with other batches is refused`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        for number in 0..<4 {
            try bench.founder.append([bench.row(form, "n", Int64(number))], wall: bench.wall)
            _ = try bench.founder.seal(wall: bench.wall)
        }
        let thief = DeviceIdentity.generate()
        let archive = try bench.founder.archive(for: nil, isWhole: true)
        let gathered = Gathered()
        try await archive.batches { bytes in
            gathered.append(bytes)
            return true
        }
        let all = gathered.all
        let stranger = Batch.seal(
            room: bench.founder.room, kind: .control, number: 1,
            previous: BatchID(bench.founder.room.digest), clock: .latest,
            blocks: [
                .control(
                    ControlBlock(
                        firstIndex: 0,
                        entries: [
                            ControlBlock.Entry(
                                clock: .latest,
                                operation: .grant(
                                    Grant(
                                        subject: thief.key, role: .owner, firstControl: 1,
                                        firstRecords: 1, supersedes: [])))
                        ]))
            ], by: thief)
        let forgeries: [(String, [[UInt8]])] = [
            ("one left out", all.enumerated().filter { $0.offset != 3 }.map(\.element)),
            ("the last left out", Array(all.dropLast())),
            ("one twice", all + [all[2]]), ("no founding batch", Array(all.dropFirst())),
            ("backwards", all.reversed()), ("a stranger's own grant", all + [stranger.bytes]),
            ("what is no batch", all + [[1, 2, 3]]),
        ]
        for (what, batches) in forgeries {
            let file = BundleFile.write(
                batches, state: archive.state, room: bench.founder.room, by: thief)
            let run = try await check(file)
            #expect(run.code == 1, "\(what): \(run.output.prefix(200))")
        }
        // The same batches under another writer's name are as good as before.
        let other = try await check(
            BundleFile.write(all, state: archive.state, room: bench.founder.room, by: thief))
        #expect(other.code == 0, "\(other.errors)")
    }

    @Test func `a cut file gives what comes before the cut`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        for number in 0..<6 {
            try bench.founder.append([bench.row(form, "n", Int64(number))], wall: bench.wall)
            _ = try bench.founder.seal(wall: bench.wall)
        }
        let file = try await BundleFile.write(bench.founder)
        let all = BundleFile.read(file)
        #expect(all.error == nil)
        for length in 0..<file.count {
            let cut = BundleFile.read(Array(file.prefix(length)), pieces: 100)
            #expect(cut.error != nil, "cut to \(length)")
            #expect(all.batches.starts(with: cut.batches))
        }
        #expect(BundleFile.read(file + [0]).error == .trailing(UInt64(file.count)))
        #expect(BundleFile.read(file, pieces: 1).batches == all.batches)
    }

    @Test func `a bundle for a contributor holds the control logs and its own records`()
        async throws
    {
        let bench = try Bench()
        let form = try bench.addForm()
        let contributor = try bench.device(.contributor)
        let collector = try bench.device(.collector)
        for device in [contributor, collector] {
            try Bench.merge(try Bench.batches(of: bench.founder), into: device)
            try device.append([bench.row(form, "mine", 1)], wall: bench.wall)
            _ = try device.seal(wall: bench.wall)
            try Bench.merge(try Bench.batches(of: device), into: bench.founder)
        }
        let held = { (file: [UInt8]) throws in
            try BundleFile.read(file).batches.map { try Batch(verifying: $0) }
        }
        let own = try held(
            try await BundleFile.write(
                bench.founder, for: contributor.identity.key, isWhole: false))
        let records = own.filter { $0.kind == .records }
        #expect(records.map(\.author) == [contributor.identity.key])
        let control = try Bench.batches(of: bench.founder).filter { $0.kind == .control }
        #expect(own.count(where: { $0.kind == .control }) == control.count)
        // Nor does it hear of a state that it cannot come to.
        #expect(
            try bench.founder.archive(for: contributor.identity.key, isWhole: false).state == nil)
        // A viewer may have all of it.
        let all = try held(
            try await BundleFile.write(bench.founder, for: collector.identity.key, isWhole: false))
        #expect(all.count(where: { $0.kind == .records }) == 2)
    }

    @Test func `an unsound length is refused before its bytes are kept`() throws {
        for length: UInt32 in [0, 2_097_153, 1 << 31, 0xffff_ffff] {
            var reader = BundleReader()
            let bytes = withUnsafeBytes(of: length.bigEndian) { Array($0) }
            reader.append(BundleLimits.magic + bytes)
            #expect(throws: BundleError.length(16)) { try reader.next() }
        }
    }
}
