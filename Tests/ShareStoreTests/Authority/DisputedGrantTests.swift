import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// A device that goes by a grant of one who, for those that know more, may not grant.
@Suite struct DisputedGrantTests {
    /// The founder admits somebody as viewer and an owner, who has not heard of it, as editor: the
    /// lesser of the two holds. The newcomer has heard of the better one alone.
    @Test func `whom a second grant of its admitter shuts out is shown that grant`() throws {
        let bench = try Bench()
        let owner = try bench.device(.owner)
        let member = try bench.device(.collector)
        let (admitter, newcomer) = (try bench.store(), try bench.store())
        let common = try Bench.batches(of: bench.founder)
        for writer in [owner, member, admitter, newcomer] { try Bench.merge(common, into: writer) }
        let lesser = try bench.grant(.viewer, to: admitter.identity.key)
        let better = try grant(.editor, to: admitter, by: owner, in: bench)
        try Bench.merge([better], into: admitter)
        let last = try grant(.collector, to: newcomer, by: admitter, in: bench)
        try Bench.merge([better, last], into: newcomer)
        try Bench.merge([lesser], into: member)
        #expect(newcomer.members.count == 5)
        #expect(member.members.count == 4)

        let devices = [try WiredDevice(member, seed: 1), try WiredDevice(newcomer, seed: 2)]
        var wire = try Wire(devices[0], devices[1])
        // The member shows it once it has seen by what grants the newcomer goes.
        for _ in 0..<4 {
            for device in devices { try device.tick(after: .seconds(8)) }
            try wire.run()
        }
        for writer in [member, newcomer] {
            #expect(writer.members.count == 4)
            #expect(
                writer.authority.currentRole(of: newcomer.identity.key) == nil)
        }
        #expect(try member.view().vector == newcomer.view().vector)
    }

    private func grant(
        _ role: Role, to device: TestRoom, by author: TestRoom, in bench: Bench
    ) throws -> Batch {
        bench.wall += 1
        let after = author.authority.latest(about: device.identity.key)
        return try author.sealControl(
            [
                .grant(
                    Grant(
                        subject: device.identity.key, role: role, firstControl: 1, firstRecords: 1,
                        supersedes: after))
            ], wall: bench.wall)
    }
}
