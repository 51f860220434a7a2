import ShareCore
import ShareCrypto
import Testing

@Suite struct AuthorityTests {
    private func key(_ letter: String) -> DeviceKey { AuthorityHistory.key(letter) }

    private func verdict(_ authority: Authority, _ name: String) -> Verdict? {
        authority.verdict(of: AuthorityHistory.name(name))
    }

    /// Roles now, `A owner, C collector`; owners by rank.
    private func roles(_ authority: Authority) -> String {
        authority.members.map { member in
            "\(AuthorityHistory.label(BatchID(Digest(member.device.value)))) \(member.role.name)"
        }.joined(separator: ", ")
    }

    private func records(
        _ authority: Authority, _ device: String, _ label: String, of count: UInt64
    ) -> Standing {
        let log = StraightLog { id in
            let head = AuthorityHistory.head(AuthorityHistory.label(id))
            return head.number <= count ? head.number : nil
        }
        return authority.standing(
            of: key(device), kind: .records, at: AuthorityHistory.head(label), in: log)
    }

    @Test func `the founder is owner, and grants make members`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B owner; grants C editor; opens
            B1 grants D reviewer
            C1 grants E collector; grants F editor; opens; wards
            """)
        #expect(roles(authority) == "A owner, B owner, C editor, D reviewer, E collector")
        #expect(authority.founder == key("A"))
        #expect(verdict(authority, "C1.1") == .refused(.role))
        #expect(verdict(authority, "C1.2") == .refused(.role))
        #expect(verdict(authority, "C1.3") == .accepted)
        #expect(verdict(authority, "A2.2") == .accepted)
    }

    @Test func `without the founding batch everything waits`() {
        let authority = AuthorityHistory.authority("A2 grants B owner\nB1 wards")
        #expect(authority.members.isEmpty)
        #expect(authority.verdicts.values.allSatisfy { $0 == .waiting(.author) })
        #expect(records(authority, "B", "Br1", of: 1) == .unknown)
    }

    @Test func `a stranger's operations wait and change nothing`() {
        let authority = AuthorityHistory.authority("A1 founds\nZ1 grants Z owner; removes A")
        #expect(roles(authority) == "A owner")
        #expect(verdict(authority, "Z1") == .waiting(.author))
        #expect(!authority.knows(key("Z")))
    }

    @Test func `a removal counts what its heads cover and refuses the rest`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B collector from 2
            A3 removes B covering Br4 after A2
            """)
        #expect(roles(authority) == "A owner")
        #expect(records(authority, "B", "Br1", of: 6) == .refused(.beforeGrant))
        #expect(records(authority, "B", "Br4", of: 6) == .member(.collector))
        let removal = AuthorityHistory.name("A3")
        #expect(records(authority, "B", "Br5", of: 6) == .refused(.removed))
        let former = authority.formerMembers.first
        #expect(former?.device == key("B") && former?.by == key("A"))
        #expect(former?.reason == "lost" && former?.removal == removal)
        let cut = authority.cut(of: LogName(author: key("B"), kind: .records))
        #expect(cut == [AuthorityHistory.head("Br4")])
        #expect(authority.cut(of: LogName(author: key("A"), kind: .records)) == nil)
    }

    @Test func `a head that has not arrived covers what has a lower number`() {
        let authority = AuthorityHistory.authority(
            "A1 founds\nA2 grants B collector\nA3 removes B covering Br9 after A2")
        #expect(records(authority, "B", "Br8", of: 8) == .member(.collector))
        #expect(records(authority, "B", "Br10", of: 10).role == nil)
    }

    @Test func `a role change judges what it does not cover by the new role`() {
        let authority = AuthorityHistory.authority(
            "A1 founds\nA2 grants B collector\nA3 makes B viewer covering Br4 after A2")
        #expect(records(authority, "B", "Br4", of: 6) == .member(.collector))
        #expect(records(authority, "B", "Br5", of: 6) == .member(.viewer))
    }

    @Test func `an acceptance counts further batches and never lowers`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B collector; grants C viewer
            A3 makes B viewer covering Br4 after A2; makes C editor covering Cr4 after A2.1
            A4 accepts B covering Br6; accepts C covering Cr6
            """)
        #expect(records(authority, "B", "Br6", of: 8) == .member(.collector))
        #expect(records(authority, "B", "Br7", of: 8) == .member(.viewer))
        #expect(records(authority, "C", "Cr6", of: 8) == .member(.editor))
    }

    @Test func `an acceptance gives the role that its device had been given since it was let in`() {
        let raised = """
            A1 founds
            A2 grants B viewer
            A3 makes B collector covering Br1 after A2
            A4 makes B viewer covering Br3 after A3
            """
        let before = AuthorityHistory.authority(raised)
        #expect(records(before, "B", "Br5", of: 6) == .member(.viewer))
        let authority = AuthorityHistory.authority(raised + "\nA5 accepts B covering Br5")
        #expect(records(authority, "B", "Br5", of: 6) == .member(.collector))
        #expect(records(authority, "B", "Br6", of: 6) == .member(.viewer))
        // Below the change it had not been given more.
        #expect(records(authority, "B", "Br1", of: 6) == .member(.viewer))
        // Who is removed as well is accepted as what it was before both.
        let removed = AuthorityHistory.authority(
            raised + "\nA5 removes B covering Br3 after A4\nA6 accepts B covering Br5")
        #expect(records(removed, "B", "Br5", of: 6) == .member(.collector))
        // What comes after the acceptance, and knows of it, counts.
        let later = AuthorityHistory.authority(
            raised + "\nA5 accepts B covering Br5\nA6 makes B viewer covering Br3 after A5 A4")
        #expect(records(later, "B", "Br5", of: 6) == .member(.viewer))
    }

    @Test func `an acceptance takes nothing from its device`() {
        let changed = """
            A1 founds
            A2 grants B reviewer; grants C collector
            A3 makes B collector covering Br1 after A2.0; makes C reviewer covering Cr1 after A2.1
            """
        let accepted = AuthorityHistory.authority(
            changed + "\nA4 accepts B covering Br5; accepts C covering Cr5")
        #expect(records(accepted, "B", "Br5", of: 6) == .member(.collector))
        #expect(records(accepted, "C", "Cr5", of: 6) == .member(.reviewer))
        let lowered = AuthorityHistory.authority(
            changed + "\nA4 makes B viewer covering Br3 after A3.0\nA5 accepts B covering Br5")
        #expect(records(lowered, "B", "Br5", of: 6) == .member(.collector))
    }

    @Test func `who was let in by a removed editor past its cutoff is let in anew or not at all`() {
        let removed = "A1 founds\nA2 grants B editor\nB1 grants C collector\nA3 removes B"
        #expect(roles(AuthorityHistory.authority(removed)) == "A owner")
        let entries = AuthorityHistory.authority(removed + "\nA4 accepts B covering B1 Br9")
        #expect(roles(entries) == "A owner" && verdict(entries, "B1") != .accepted)
        let again = AuthorityHistory.authority(removed + "\nA4 grants C collector")
        #expect(roles(again) == "A owner, C collector")
    }

    @Test func `of parallel operations the least holds, of seen ones the last`() {
        let parallel = "A1 founds\nA2 grants B owner; grants C collector\nB1 grants C viewer"
        #expect(roles(AuthorityHistory.authority(parallel)) == "A owner, B owner, C viewer")
        #expect(
            roles(AuthorityHistory.authority(parallel + " after A2.1; grants C editor after B1"))
                == "A owner, B owner, C editor")
        #expect(
            roles(AuthorityHistory.authority(parallel + "; removes C")) == "A owner, B owner")
    }

    @Test func `the better rank wins a mutual removal`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B owner
            A3 removes B after A2
            B1 removes A covering A2 after A1
            """)
        #expect(roles(authority) == "A owner")
    }

    @Test func `nobody lowers who outranks it`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B owner; grants C owner
            B1 removes A covering A2 after A1; makes A viewer after A1; grants A editor after A1
            C1 removes B after A2.0
            B2 removes C covering C1 after A2.1
            """)
        #expect(roles(authority) == "A owner, B owner")
        for name in ["B1.0", "B1.1", "B1.2"] {
            #expect(verdict(authority, name) == .refused(.outranked))
        }
        #expect(authority.rank(of: key("A")) == 1 && authority.rank(of: key("C")) == 3)
        #expect(authority.rank(of: key("R")) == 0 && authority.rank(of: key("D")) == nil)
    }

    @Test func `the recovery key removes a thief of the founder's device with all it did since`() {
        let history = """
            A1 founds
            A2 grants B owner; grants C collector
            A3 removes B after A2.0; removes C after A2.1; grants D owner; removes R
            D1 grants E owner
            """
        #expect(roles(AuthorityHistory.authority(history)) == "A owner, D owner, E owner")
        let recovered = AuthorityHistory.authority(
            history + "\nR1 removes A covering A2 after A1; makes C owner after A2.1")
        #expect(roles(recovered) == "C owner, B owner")
        #expect(verdict(recovered, "D1") == .waiting(.author))
        #expect(recovered.currentRole(of: key("R")) == nil && recovered.knows(key("R")))
    }

    @Test func `what counted of a device goes on counting where a better rank makes it owner`() {
        let history = """
            A1 founds
            A2 grants B owner
            B1 grants C collector
            """
        func roles(_ more: String) -> [Standing] {
            let authority = AuthorityHistory.authority(history + "\n" + more)
            return [records(authority, "C", "Cr2", of: 3), records(authority, "C", "Cr3", of: 3)]
        }
        let promoted = "makes C owner covering Cr2 after B1"
        #expect(roles("R1 " + promoted) == [.member(.collector), .member(.owner)])
        #expect(roles("A3 " + promoted) == [.member(.collector), .member(.owner)])
        // What nobody above it knew of is outranked by it.
        #expect(roles("R1 makes C owner covering Cr2")[0] == .refused(.beforeGrant))
    }

    @Test func `the recovery key makes an owner where none is left`() {
        let history = "A1 founds\nA2 grants B collector\nA3 leaves covering A2"
        #expect(roles(AuthorityHistory.authority(history)) == "B collector")
        let recovered = history + "\nR1 makes B owner after A2"
        #expect(roles(AuthorityHistory.authority(recovered)) == "B owner")
    }

    @Test func `nobody grants itself a role or accepts its own records`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B owner
            A3 makes B viewer covering B1 Br2 after A2
            B1 accepts B covering Br9; grants B editor; makes B owner
            B2 accepts B covering Br9; makes B owner after A3
            """)
        #expect(roles(authority) == "A owner, B viewer")
        #expect(verdict(authority, "B1.0") == .refused(.itself))
        #expect(verdict(authority, "B1.1") == .refused(.itself))
        #expect(verdict(authority, "B2.1") == .refused(.role))
        #expect(records(authority, "B", "Br3", of: 4) == .member(.viewer))
    }

    @Test func `a thief of a lower key cannot undo its removal or grow back`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B owner
            B1 grants C collector
            A3 removes B covering B1 after A2
            B2 grants B owner after A3; removes A covering A2
            B3 grants T owner
            T1 removes A; removes C
            """)
        #expect(roles(authority) == "A owner, C collector")
    }

    @Test func `an owner removed and granted again acts again`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B owner; grants C owner
            A3 removes B covering B1 after A2
            B1 grants D viewer
            B2 grants E viewer
            C1 grants B owner from 3 after A2 A3
            B3 grants F viewer
            """)
        #expect(roles(authority) == "A owner, B owner, C owner, D viewer, F viewer")
    }

    @Test func `an editor lowers nobody and lifts no owner's removal, but brings back who left`() {
        let authority = AuthorityHistory.authority(
            """
            A1 founds
            A2 grants B editor; grants C reviewer; grants D collector; grants E collector
            A3 removes D after A2.2
            E1 leaves after A2.3
            B1 grants A viewer after A1; grants C viewer after A2.1
            B2 grants D collector after A3 A2.2; grants E viewer after E1 A2.3
            """)
        #expect(roles(authority) == "A owner, B editor, C reviewer, E viewer")
    }

    @Test func `a log with nine heads is refused until an owner names those that count`() {
        let nine = (1...9).map { "B2\(String(repeating: "'", count: $0))<B1 wards" }
        let history = ["A1 founds", "A2 grants B editor", "B1 wards"] + nine
        let refused = AuthorityHistory(history).authority
        #expect(verdict(refused, "B1") == .refused(.forked))
        let naming = "A3 makes B editor covering B2' after A2"
        let named = AuthorityHistory(history + [naming]).authority
        #expect(verdict(named, "B1") == .accepted)
        #expect(verdict(named, "B2'") == .accepted)
        #expect(verdict(named, "B2''") == .refused(.forked))
        let eight = AuthorityHistory(history.dropLast()).authority
        #expect(verdict(eight, "B2'") == .accepted)
    }

    @Test func `a second founding counts nowhere`() {
        let authority = AuthorityHistory.authority("A1 founds\nA2 founds\nB1 founds")
        #expect(roles(authority) == "A owner")
        #expect(verdict(authority, "A2") == .refused(.founding))
        #expect(verdict(authority, "B1") == .refused(.founding))
    }

    @Test func `only those whose authority changed are judged anew`() {
        let before = AuthorityHistory.authority("A1 founds\nA2 grants B collector; grants C viewer")
        let after = AuthorityHistory.authority(
            "A1 founds\nA2 grants B collector; grants C viewer\nA3 removes B after A2")
        #expect(after.devicesJudgedAnew(since: before) == [key("B")])
        #expect(after.latest(about: key("B")) == [AuthorityHistory.name("A3")])
    }

    @Test func `a thousand grants are computed at once`() throws {
        let chain = (0..<1_000).map { number -> ControlBatch in
            let label = "A\(number + 2)"
            let device = DeviceKey(Hash.digest([UInt8(number >> 8), UInt8(number & 255)]).value)
            let grant = Grant(
                subject: device, role: .collector, firstControl: 1, firstRecords: 1, supersedes: [])
            return ControlBatch(
                author: key("A"), head: AuthorityHistory.head(label),
                previous: AuthorityHistory.id("A\(number + 1)"),
                entries: [ControlBatch.Entry(index: 0, operation: .grant(grant))])
        }
        let batches = AuthorityHistory("A1 founds").batches + chain
        let clock = ContinuousClock()
        var members = 0
        let time = clock.measure {
            members = Authority(room: AuthorityHistory.room, batches: batches).members.count
        }
        print("authority: 1,000 grants in \(time / .microseconds(1)) microseconds")
        #expect(members == 1_001)
    }
}
