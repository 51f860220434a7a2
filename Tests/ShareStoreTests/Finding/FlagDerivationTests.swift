import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// What forms have against entries, while these and the rows of their repeats change.
struct FlagDerivationTests {
    private static let fields = [FormField(name: "n", type: .integer)]
    private static let forms = ["visit", "visit/bed", "visit/bed/mark", "plain"]

    /// A check that sees all of an entry: each third one is invalid, each second one flagged.
    @Sendable private static func check(_ row: RecordRow) -> EntryFlag? {
        func text(_ row: RecordRow) -> String {
            "\(row.values.suffix(1)) \(row.repeats.map { $0.map(text) })"
        }
        guard case .integer(let number)? = row.values.last else { return nil }
        return EntryFlag(
            problems: number % 3 == 0 ? text(row) : nil,
            warnings: number % 2 == 0 ? text(row) : nil)
    }

    private static let derivation = FlagDerivation { _ in check }

    @Test func `flags are what the entries with their rows come to, whatever happened`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        for _ in 0..<8 {
            let bench = try Bench()
            let room = bench.founder
            var definitions: [String: OperationName] = [:]
            for form in Self.forms {
                let own = form.contains("/") ? FormDefinition.repeatFields : []
                definitions[form] = try bench.addForm(form, own + Self.fields)
            }
            var shown: [String: [RecordName]] = [:]
            var gone: [RecordName] = []
            for turn in 0..<120 {
                bench.wall += 1
                let form = try #require(Self.forms.randomElement(using: &random))
                let definition = try #require(definitions[form])
                let number = FieldValue.integer(Int64(turn))
                switch Int.random(in: 0..<9, using: &random) {
                case 0...3:
                    var row = [number]
                    if let above = FormDefinition.parentForm(of: form) {
                        let parents = (shown[above] ?? []) + gone.filter { $0.form == above }
                        guard let parent = parents.randomElement(using: &random) else { continue }
                        row = [.text(ParentName(parent).text), .integer(1), number]
                    }
                    let put = NewRows(
                        definition: definition, fields: Array(row.indices), rows: [row])
                    shown[form, default: []] += try room.append([.put(put)], wall: bench.wall)
                case 4:
                    guard let name = shown[form]?.randomElement(using: &random) else { continue }
                    let place = form.contains("/") ? 2 : 0
                    let edit = LocalChange.FieldChange(field: place, value: number)
                    try room.append(
                        [.edit(name, definition: definition, values: [edit])], wall: bench.wall)
                case 5:
                    guard let place = shown[form]?.indices.randomElement(using: &random),
                        let name = shown[form]?.remove(at: place)
                    else { continue }
                    gone.append(name)
                    try room.append([.delete(name)], wall: bench.wall)
                case 6:
                    guard let place = gone.indices.randomElement(using: &random) else { continue }
                    let name = gone.remove(at: place)
                    shown[name.form, default: []].append(name)
                    try room.append([.restore(name)], wall: bench.wall)
                case 7 where Int.random(in: 0..<6, using: &random) == 0: try room.rebuild()
                default:
                    let files = try FollowedFiles(room: room.path, Self.derivation)
                    _ = try files.step(room.forms(), Self.derivation)
                }
            }
            try Self.finish(room)
        }
    }

    private static func finish(_ room: TestRoom) throws {
        let files = try FollowedFiles(room: room.path, derivation)
        let forms = room.forms()
        while try files.step(forms, derivation) {}
        var expected: [[SQLValue]] = []
        let repeats = RepeatRows(files.room, files.devices)
        for form in forms.sorted(by: { $0.number < $1.number }) where !form.form.isRepeat {
            for found in try files.unfollowed(form, after: 0, limit: 10_000).rows {
                var whole = found.record
                try repeats.fill(&whole, of: form)
                guard let flag = check(whole) else { continue }
                expected.append(
                    [
                        .integer(form.number), .integer(found.row),
                        flag.problems.map { .text($0) } ?? .null,
                        flag.warnings.map { .text($0) } ?? .null,
                    ])
            }
        }
        #expect(try files.derived.rows("SELECT * FROM flag ORDER BY 1, 2") == expected)
        #expect(try files.derived.integer("SELECT count(*) FROM again") == 0)
        #expect(!expected.isEmpty)
    }
}
