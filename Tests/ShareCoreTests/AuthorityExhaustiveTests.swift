import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// The real code against the model, and properties that hold of every history, over all small
/// histories of an alphabet and over larger random ones.
@Suite struct AuthorityExhaustiveTests {
    static let start = ["A1 founds", "A2 grants B owner"]

    /// What the third and later batches may say; `#` stands for the label of the batch.
    /// `SHARED_EXHAUSTIVE=1` takes all of it, in a minute; else the first part, in seconds.
    static let alphabet: [(author: String, text: String)] = [
        ("A", "grants C owner"), ("A", "removes B covering B1 after A2"),
        ("A", "leaves covering A2"), ("A", "makes B collector covering B1"),
        ("A", "grants B owner from 2 after A2 A3 B1"), ("B", "grants C owner"),
        ("B", "removes A covering A3"), ("B", "makes A viewer covering A2"),
        ("B", "removes C covering C1"), ("B", "grants A owner from 3 after A1 A3 B1"),
        ("B", "leaves covering B1"), ("C", "removes A covering A2"), ("C", "removes B"),
        ("C", "grants D collector"), ("D", "leaves"),
        ("A", "grants C editor"), ("A", "removes B"), ("B", "removes A"), ("B", "grants A viewer"),
        ("B", "accepts C covering C2"), ("B", "grants C collector after B1"), ("C", "leaves"),
        ("C", "grants B owner"), ("C", "grants A viewer"),
    ]

    static var isFull: Bool {
        ProcessInfo.processInfo.environment["SHARED_EXHAUSTIVE"] != nil
    }
    static var choices: [(author: String, text: String)] {
        isFull ? alphabet : Array(alphabet.prefix(14))
    }
    static var randomCases: Int { isFull ? 6_000 : 300 }

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

    @Test func `larger random histories are judged as the model does`() {
        let seed = TestSeed.printed()
        var random = SeededRandom(seed: seed)
        var found: [String] = []
        for _ in 0..<Self.randomCases {
            for lines in [Self.randomLines(&random), AuthorityWars.lines(&random)]
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
        var numbers = ["A": 2, "B": 0, "C": 0, "D": 0]
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
        let devices = ["A", "B", "C", "D", "E"]
        var labels: [String: [String]] = ["A": ["A1"], "B": [], "C": [], "D": [], "E": []]
        var about: [String: [String]] = ["A": ["A1"]]
        var lines = ["A1 founds"]
        for _ in 0..<Int.random(in: 3...12, using: &random) {
            let author = devices[
                Int.random(in: 0..<Int.random(in: 1...5, using: &random), using: &random)]
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
            let covering = heads.map { Bool.random(using: &random) ? " covering \($0)" : "" } ?? ""
            let seen = (about[subject] ?? []).filter { _ in
                Int.random(in: 0..<3, using: &random) > 0
            }
            let after = seen.isEmpty ? "" : " after \(seen.joined(separator: " "))"
            let role =
                ["owner", "owner", "owner", "editor", "collector"].randomElement(using: &random)
                ?? "owner"
            let from = " from \(Int.random(in: 1...3, using: &random))"
            let text: String
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3: text = "grants \(subject) \(role)\(from)\(after)"
            case 4: text = "makes \(subject) \(role)\(covering)\(after)"
            case 5, 6: text = "removes \(subject)\(covering)\(after)"
            case 7: text = "leaves covering \(previous ?? "X9")"
            default: text = "accepts \(subject)\(covering)"
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
        func fault(_ text: String) -> String { lines.joined(separator: "\n") + "\n-> " + text }
        let devices = ["A", "B", "C", "D", "E", "Z"].map { AuthorityHistory.key($0) }
        for item in model.items {
            let isAccepted = authority.verdict(of: item.name) == .accepted
            if isAccepted != model.inForce(item.name) {
                return fault(
                    "\(AuthorityHistory.label(item.name.batch)) model \(model.inForce(item.name))")
            }
        }
        for device in devices {
            let now = model.resultNow(device)
            let role: Role? = if case .role(let role) = now { role } else { nil }
            if authority.currentRole(of: device) != role {
                return fault(
                    "\(device.short) is \(now), not \(authority.currentRole(of: device) as Role?)")
            }
        }
        for batch in model.byID.values {
            let result = model.result(
                of: batch.author, at: batch, strong: model.strong, weak: model.weak)
            let role: Role? = if case .role(let role) = result { role } else { nil }
            let standing = authority.controlStanding(of: batch.author, at: batch.head)
            if standing.role != role { return fault("at \(batch.head) \(standing) \(result)") }
        }
        if let item = model.unfounded {
            return fault("\(AuthorityHistory.label(item.name.batch)) has no author that may")
        }
        let accepted = Set(model.items.map(\.name).filter(model.inForce))
        func isSame(_ batches: [ControlBatch]) -> Bool {
            let other = Authority(room: AuthorityHistory.room, batches: batches)
            return other.members == authority.members
                && accepted == Set(other.verdicts.filter { $0.value == .accepted }.map(\.key))
        }
        if !isSame(history.batches.reversed() + history.batches) { return fault("order matters") }
        let stranger = AuthorityHistory([
            "Z1 removes A", "Z2 grants Z owner", "Z3 accepts C covering C9",
        ])
        if !isSame(stranger.batches + history.batches) { return fault("a stranger matters") }
        let emptied = history.batches.map { batch in
            ControlBatch(
                author: batch.author, head: batch.head, previous: batch.previous,
                entries: batch.entries.filter {
                    let name = batch.name(of: $0)
                    return accepted.contains(name) || model.enforced.contains(name)
                })
        }
        if !isSame(emptied) {
            return fault("what no walk put in force, and does not hold, matters")
        }
        let travelling = history.batches.filter { batch in
            guard let cut = authority.cut(of: LogName(author: batch.author, kind: .control)) else {
                return true
            }
            return model.isCovered(batch, by: cut)
        }
        if !isSame(travelling) {
            return fault("what is cut matters: \(authority.formerMembers.map { $0.device.short })")
        }
        if authority.founder != nil, authority.owners.isEmpty,
            !model.items.contains(where: {
                model.walked.contains($0.name) && $0.lowers && !$0.isSelf
            })
        {
            return fault("no owner is left")
        }
        return nil
    }
}
