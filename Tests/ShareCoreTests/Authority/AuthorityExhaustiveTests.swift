import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// The real code against the model, and properties that hold of every history, over all small
/// histories of an alphabet and over larger random ones.
@Suite struct AuthorityExhaustiveTests {
    static let start = ["A1 founds", "A2 grants B owner"]

    /// What the third and later batches may say; a line names only what was there before it.
    /// `make test-exhaustive` takes all of it; else the first part, in seconds.
    static let alphabet: [(author: String, text: String)] = [
        ("A", "grants C owner"), ("A", "removes B covering B1 after A2"),
        ("R", "removes A covering A2"),
        ("A", "leaves covering A2"), ("R", "makes B owner after A2 A3"),
        ("A", "grants B owner from 2 after A2 A3 B1"), ("B", "grants C owner"),
        ("B", "removes A covering A3"), ("B", "leaves covering B1"), ("C", "removes A covering A2"),
        ("R", "removes B"), ("R", "grants A owner from 3 after R1 A1"), ("C", "removes B"),
        ("A", "grants C editor"), ("C", "grants D collector"), ("D", "leaves"),
        ("A", "makes B collector covering B1"), ("B", "makes A viewer covering A2"),
        ("B", "removes C covering C1"), ("A", "removes B"), ("B", "removes A"),
        ("B", "accepts C covering Cr2"), ("B", "grants C collector after B1"), ("C", "leaves"),
        ("C", "grants B owner"), ("A", "removes R"), ("R", "leaves"), ("A", "makes A owner"),
        ("A", "grants C collector in x"), ("B", "makes C contributor in y covering Cr1"),
        ("A", "makes C collector covering Cr2 after A2 A3 B1"), ("A", "accepts C covering Cr3"),
    ]

    static var choices: [(author: String, text: String)] {
        Exhaustive.isOn ? alphabet : Array(alphabet.prefix(8) + alphabet.suffix(4))
    }
    static var randomCases: Int { Exhaustive.isOn ? 5_000 : 120 }

    @Test func `every history of up to three batches is judged as the model does`() {
        var cases = 0
        var found: [String] = []
        for first in Self.choices {
            for second in Self.choices {
                for third in Self.choices {
                    let lines = Self.lines([first, second, third])
                    cases += 1
                    if let fault = Self.fault(in: lines) { found.append(fault) }
                }
            }
        }
        print("authority: \(cases) histories of three batches, \(found.count) faults")
        #expect(found.prefix(3).joined(separator: "\n\n") == "")
    }

    @Test(.enabled(if: Exhaustive.isOn))
    func `every history of four batches of a part of them is judged as the model does`() {
        var found: [String] = []
        let choices = Self.alphabet.prefix(14)
        for first in choices {
            for second in choices {
                for third in choices {
                    for fourth in choices {
                        let lines = Self.lines([first, second, third, fourth])
                        if let fault = Self.fault(in: lines) { found.append(fault) }
                    }
                }
            }
        }
        print("authority: 38,416 histories of four batches, \(found.count) faults")
        #expect(found.prefix(3).joined(separator: "\n\n") == "")
    }

    @Test func `larger random histories are judged as the model does`() {
        let seed = TestSeed.printed()
        var random = SeededRandom(seed: seed)
        var found: [String] = []
        for _ in 0..<Self.randomCases {
            for lines in [
                Self.randomLines(&random), AuthorityWars.lines(&random),
                AuthorityForks.lines(&random),
            ]
            where found.count < 3 && Self.fault(in: lines) != nil {
                let shrunk = AuthorityShrinking.shrink(lines) { Self.fault(in: $0) != nil }
                found.append(Self.fault(in: shrunk) ?? "a fault is gone when looked at again")
            }
        }
        #expect(found.joined(separator: "\n\n") == "", "seed \(seed)")
    }

    @Test(arguments: AuthorityScripts.found)
    func `a history that was judged in two ways once is judged in one`(script: String) {
        let lines = script.split(separator: "\n").map(String.init)
        #expect(Self.fault(in: lines) == nil)
    }

    @Test(arguments: AuthorityScripts.all)
    func `every subset of a history is judged as the model does`(script: String) {
        let lines = script.split(separator: "\n").map(String.init)
        var cases = 0
        var found: [String] = []
        for choice in 0..<(1 << lines.count) {
            let some = lines.indices.filter { choice >> $0 & 1 == 1 }.map { lines[$0] }
            let history = AuthorityHistory(some)
            guard AuthorityModel(history.batches).byID.count == some.count else { continue }
            cases += 1
            if let fault = Self.fault(in: some) { found.append(fault) }
        }
        #expect(found.prefix(3).joined(separator: "\n\n") == "")
        print("authority: \(cases) subsets of a history of \(lines.count) batches")
    }

    @Test func `all orders of arrival come to the same`() {
        let lines = Array(AuthorityScripts.mutual.split(separator: "\n").map(String.init).prefix(6))
        let batches = AuthorityHistory(lines).batches
        let expected = Authority(room: AuthorityHistory.room, batches: batches)
        var orders = 0
        func permute(_ head: [ControlBatch], _ rest: [ControlBatch]) {
            guard !rest.isEmpty else {
                orders += 1
                let other = Authority(room: AuthorityHistory.room, batches: head)
                #expect(other.verdicts == expected.verdicts)
                #expect(other.members == expected.members)
                return
            }
            for place in rest.indices {
                var others = rest
                let next = others.remove(at: place)
                permute(head + [next], others)
            }
        }
        permute([], batches)
        #expect(orders == 720)
    }

    static func lines(_ choices: [(author: String, text: String)]) -> [String] {
        var numbers = ["A": 2]
        let labels = choices.map { choice in
            numbers[choice.author, default: 0] += 1
            return "\(choice.author)\(numbers[choice.author, default: 0])"
        }
        return start
            + choices.indices.map { place in
                // A hash cannot be named before there is what it is the hash of.
                let later = labels[place...]
                let words = choices[place].text.split(separator: " ").map(String.init)
                    .filter { !later.contains($0) }
                return "\(labels[place]) \(words.joined(separator: " "))"
            }
    }

    static func randomLines(_ random: inout SeededRandom) -> [String] {
        let devices = ["A", "B", "C", "D", "E", "R"]
        var labels: [String: [String]] = ["A": ["A1"]]
        var about: [String: [String]] = ["A": ["A1"]]
        var lines = ["A1 founds"]
        for _ in 0..<Int.random(in: 3...12, using: &random) {
            let author = devices[
                Int.random(in: 0..<Int.random(in: 1...6, using: &random), using: &random)]
            let subject = devices.randomElement(using: &random) ?? "B"
            let log = labels[author] ?? []
            // Mostly the last batch; now and then an earlier one, which makes a fork.
            let previous =
                Int.random(in: 0..<5, using: &random) > 0
                ? log.last : log.randomElement(using: &random)
            let number = (previous.map { AuthorityHistory.head($0).number } ?? 0) + 1
            var label = "\(author)\(number)"
            while log.contains(label) { label += "'" }
            let heads = (labels[subject] ?? []).suffix(2).randomElement(using: &random)
            let records = " \(subject)r\(Int.random(in: 1...5, using: &random))"
            let covering =
                heads.map { Bool.random(using: &random) ? " covering \($0)\(records)" : "" } ?? ""
            let seen = (about[subject] ?? []).filter { _ in
                Int.random(in: 0..<3, using: &random) > 0
            }
            let after = seen.isEmpty ? "" : " after \(seen.joined(separator: " "))"
            let role =
                [
                    "owner", "owner", "owner", "editor", "collector", "collector in x",
                    "contributor in x y", "contributor",
                ].randomElement(using: &random) ?? "owner"
            let from = " from \(Int.random(in: 1...3, using: &random))"
            let text: String
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3: text = "grants \(subject) \(role)\(from)\(after)"
            case 4: text = "makes \(subject) \(role)\(covering)\(after)"
            case 5, 6: text = "removes \(subject)\(covering)\(after)"
            case 7: text = "leaves covering \(previous ?? "X9")"
            default:
                let record = Int.random(in: 1...5, using: &random)
                text = "accepts \(subject) covering \(subject)r\(record)"
            }
            let more = [
                "; removes A", "; removes B; makes A viewer", "; grants D owner", "", "", "",
            ]
            let extra = more.randomElement(using: &random) ?? ""
            lines.append("\(label)<\(previous ?? "A1") \(text)\(extra)")
            labels[author, default: []].append(label)
            about[subject, default: []].append(label)
        }
        return lines
    }

    /// What is wrong with how a history is judged, if anything.
    static func fault(in lines: [String]) -> String? {
        let history = AuthorityHistory(lines)
        let authority = history.authority
        let model = AuthorityModel(history.batches)
        let fault =
            unlike(authority, model)
            ?? AuthorityProperties.broken(by: authority, of: history.batches, model)
        return fault.map { lines.joined(separator: "\n") + "\n-> " + $0 }
    }

    /// What the product says otherwise than the model.
    private static func unlike(_ authority: Authority, _ model: AuthorityModel) -> String? {
        for item in model.items {
            let isAccepted = authority.verdict(of: item.name) == .accepted
            if isAccepted != model.inForce(item.name) {
                return "\(AuthorityHistory.label(item.name.batch)).\(item.name.index) model"
                    + " \(model.inForce(item.name))"
            }
        }
        for device in AuthorityProperties.devices {
            let role = model.role(of: device, at: .end)
            if authority.currentRole(of: device) != role {
                return "\(device.short) is \(role as Role?) in the model"
            }
            if Set(authority.currentScopes(of: device)) != model.scopes(of: device, at: .end) {
                return "\(device.short) within \(model.scopes(of: device, at: .end)) in the model"
            }
            if authority.knows(device) != model.knows(device) { return "\(device.short) known" }
            for number in 1...UInt64(4) {
                let batch = AuthorityModel.record(number, of: device)
                let place = AuthorityModel.Position.records(batch, held: 4)
                let log = StraightLog { id in
                    (1...UInt64(4)).first { AuthorityModel.record($0, of: device).batch == id }
                }
                let standing = authority.standing(of: device, kind: .records, at: batch, in: log)
                if standing.role != model.role(of: device, at: place) {
                    return "record \(number) of \(device.short): \(standing)"
                }
                if Set(standing.scopes) != model.scopes(of: device, at: place) {
                    return "record \(number) of \(device.short): \(standing.scopes)"
                }
            }
        }
        for batch in model.byID.values {
            let standing = authority.controlStanding(of: batch.author, at: batch.head)
            if standing.role != model.roleNow(at: batch) { return "at \(batch.head) \(standing)" }
        }
        return nil
    }
}
