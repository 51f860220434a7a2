import ShareCore
import ShareCrypto
import Testing

/// Owners against owners: what a removed one can still do, and what it cannot.
@Suite struct AuthorityWarTests {
    private func roles(_ lines: String) -> String {
        AuthorityHistory.authority(lines).members.map { member in
            let name = AuthorityHistory.label(BatchID(Digest(member.device.value)))
            return "\(name) \(member.role.name)"
        }.joined(separator: ", ")
    }

    @Test func `who is removed by an owner that came back grants nothing beyond the line`() {
        let history = """
            A1 founds
            A2 grants B owner; grants C owner
            A3 removes B covering B1 after A2
            C1 grants B owner from 2 after A2 A3
            B1 wards
            B2 removes C covering C1 after A2.1
            C2 grants D owner
            """
        #expect(roles(history) == "A owner, B owner")
    }

    /// The first of these removals voids what the device had granted; from then on none is a trial.
    @Test(arguments: [1, 63, 64])
    func `removals of a device whose grants do not count are no trials`(count: Int) {
        let removals = repeatElement("removes B", count: count).joined(separator: "; ")
        let history = """
            A1 founds
            A2 grants B owner; grants D owner; grants E owner
            B1 grants C owner
            A3 accepts D covering D1
            E1 \(removals); removes D
            """
        #expect(roles(history) == "A owner, E owner")
    }

    @Test func `a removed owner's unseen batch decides nothing between others`() {
        let history = """
            A1 founds
            A2 grants B owner; grants C owner
            C1 grants D owner
            A3 grants E owner
            E1 removes D
            B1 makes A viewer covering A2 after A1
            """
        #expect(roles(history + "\nD1 removes B") == roles(history))
        #expect(roles(history) == "B owner, C owner, A viewer")
    }
}
