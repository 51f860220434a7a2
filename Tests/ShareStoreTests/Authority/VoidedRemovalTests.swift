import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// A device that takes another for removed, by a removal that is void.
@Suite struct VoidedRemovalTests {
    /// Owner G removes B; the founder removes G, which makes that void. A holds G's removal alone,
    /// B holds the founder's batch.
    @Test(arguments: [false, true])
    func `the one who is taken for removed shows what makes that void`(hasHeard: Bool) throws {
        let bench = try Bench()
        let owner = try bench.device(.owner)
        let (first, second) = (try bench.device(.collector), try bench.device(.collector))
        let common = try Bench.batches(of: bench.founder)
        for writer in [owner, first, second] { try Bench.merge(common, into: writer) }
        let key = second.identity.key
        bench.wall += 1
        let removal = try owner.sealControl(
            [
                .removal(
                    Removal(
                        subject: key, heads: CoveredHeads(control: [], records: []),
                        supersedes: owner.authority.latest(about: key), reason: ""))
            ], wall: bench.wall)
        bench.wall += 1
        let voiding = try bench.remove(owner.identity.key)
        try Bench.merge([removal], into: first)
        try Bench.merge([voiding] + (hasHeard ? [removal] : []), into: second)
        for writer in [first, second] { while try writer.reapply() {} }
        #expect(first.isRemoved(key))
        #expect(!second.isRemoved(key))

        let devices = [try WiredDevice(first, seed: 1), try WiredDevice(second, seed: 2)]
        // The first session may end as the second has taken in what it was shown.
        for id in 1..<3 as Range<UInt64> {
            var wire = try Wire(devices[0], devices[1], id: id)
            for _ in 0..<4 {
                for device in devices { try device.tick(after: .milliseconds(500)) }
                try wire.run()
            }
        }
        #expect(!first.isRemoved(key))
        #expect(try first.view().vector == second.view().vector)
        #expect(try first.view().digest == second.view().digest)
    }
}
