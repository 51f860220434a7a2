import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

struct SearchTests {
    @Test(
        arguments: [
            ("Amadou Traoré", "amadou traore"), ("ÇA Ñandú", "ca nandu"), ("Straße", "strasse"),
            ("Łódź", "lodz"), ("ΆΝΘΡΩΠΟΣ", "ανθρωποσ"), ("Ёлка", "елка"), ("e\u{301}", "e"),
            ("Tiếng Việt", "tieng viet"), ("日本", "日本"), ("", ""), ("İ", "i"),
        ])
    func `case and marks do not count`(text: String, folded: String) {
        #expect(FoldedText.fold(text) == folded)
        #expect(FoldedText.fold(folded) == folded)
    }

    @Test func `the index finds what reading all finds, whatever has changed`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let scene = try FilterScene(&random, rows: 0)
        let founder = scene.bench.founder
        let letters = Array("abÉé ö")
        func word() -> String {
            String(
                (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    letters[Int.random(in: letters.indices, using: &random)]
                })
        }
        let follower = RowFollower(path: founder.path, Self.derivation)
        var names: [RecordName] = []
        for round in 0..<40 {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                scene.bench.wall += 1
                names += try founder.append(
                    [
                        .put(
                            NewRows(
                                definition: scene.form.definition, fields: [0, 4],
                                rows: [[.text(word()), .text(word())]]))
                    ], wall: scene.bench.wall)
            }
            if let name = names.randomElement(using: &random) {
                scene.bench.wall += 1
                try founder.append(
                    [
                        .edit(
                            name, definition: scene.form.definition,
                            values: [.init(field: 0, value: .text(word()))])
                    ], wall: scene.bench.wall)
            }
            if round % 3 == 0, !names.isEmpty {
                let gone = names.remove(at: Int.random(in: names.indices, using: &random))
                try founder.append([.delete(gone)], wall: scene.bench.wall)
            }
            if Bool.random(using: &random) { _ = try await follower.step(founder.forms()) }
            guard let wanted = SearchText(word()) else { continue }
            let all = try await scene.reader.records(scene.form)
            let expected = all.filter { row in
                Self.texts(row).contains { FoldedText.fold($0).contains(wanted.folded) }
            }
            let found = try await follower.search(wanted, in: founder.forms(), limit: 1_000)
            #expect(
                Set(found.flatMap(\.hits).map(\.name)) == Set(expected.map(\.name)),
                "\(wanted.text)")
        }
        while try await follower.step(founder.forms()) {}
        let wanted = try #require(SearchText("ab"))
        let done = try await follower.search(wanted, in: founder.forms(), limit: 5)
        #expect(done.allSatisfy { $0.unindexed == 0 })
    }

    @Test func `the best fit comes first`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for name in ["Soybean", "Green bean", "Beanstalk", "Bean", "x"] {
            try scene.add([.text(name)])
        }
        let follower = RowFollower(path: scene.bench.founder.path, Self.derivation)
        for isIndexed in [false, true] {
            if isIndexed { while try await follower.step(scene.bench.founder.forms()) {} }
            let wanted = try #require(SearchText("BEAN"))
            let found = try await follower.search(wanted, in: [scene.form], limit: 3)
            let group = try #require(found.first)
            #expect(group.count == 4 && !group.hasMore)
            #expect(group.unindexed == (isIndexed ? 0 : 5))
            #expect(
                group.hits.map { $0.values[0] } == [
                    .text("Bean"), .text("Beanstalk"), .text("Green bean"),
                ])
        }
    }

    @Test func `rows of deleted entries hide none of those that are there`() async throws {
        let bench = try Bench()
        let visit = try bench.addForm()
        let bed = try bench.addForm(
            "visit/bed", FormDefinition.repeatFields + [FormField(name: "note", type: .text)])
        let names = try bench.founder.append(
            [bench.row(visit, "there", 1), bench.row(visit, "gone", 1)], wall: bench.wall)
        for (name, count) in zip(names, [1_100, 2_500]) {
            let rows: [[FieldValue]] = (0..<count).map {
                [.text(ParentName(name).text), .integer(Int64($0) + 1), .text("bean \($0)")]
            }
            try bench.founder.append(
                [.put(NewRows(definition: bed, fields: [0, 1, 2], rows: rows))], wall: bench.wall)
        }
        try bench.founder.append([.delete(names[1])], wall: bench.wall)
        let form = try #require(bench.founder.form("visit/bed"))
        let follower = RowFollower(path: bench.founder.path, Self.derivation)
        while try await follower.step(bench.founder.forms()) {}
        for text in ["bean", "an"] {
            let wanted = try #require(SearchText(text))
            let group = try #require(
                try await follower.search(wanted, in: [form], limit: 3).first)
            #expect(group.count == 1_000 && group.hasMore, "\(text): \(group.count)")
            #expect(group.hits.count == 3)
        }
    }

    @Test func `what is asked of the index is no query of its language`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for text in ["a \"b\" OR c*", "NEAR(x)", "-abc", "column:abc", "100%_"] {
            try scene.add([.text(text)])
        }
        let follower = RowFollower(path: scene.bench.founder.path, Self.derivation)
        while try await follower.step(scene.bench.founder.forms()) {}
        for text in ["\"b\" OR", "NEAR(", "-ab", "n:a", "%_", "\"\"\"", "c*"] {
            let wanted = try #require(SearchText(text))
            let found = try await follower.search(wanted, in: [scene.form], limit: 9)
            let group = try #require(found.first)
            #expect(group.count == (text == "\"\"\"" ? 0 : 1), "\(text)")
        }
        #expect(SearchText(" \n ") == nil)
        #expect(SearchText(String(repeating: "a", count: 5_000)) == nil)
        let around = SearchText("traore")?.around(
            "Household of Amadou Traoré, returns on Tuesday\nwith his family of nine", 20)
        #expect(around == "Household of Amadou Traoré, returns on...")
        let lines = SearchText("tuesday with")?.around("returns on Tuesday\nwith his family", 40)
        #expect(lines == "returns on Tuesday with his family")
    }

    @Test func `the last searches of a device, none twice`() async throws {
        let scratch = Scratch()
        let store = try NodeStore(path: scratch.path("node.sqlite"))
        for number in 0..<25 {
            let text = try #require(SearchText("search \(number)"))
            try await store.noteSearch(text)
        }
        let again = try #require(SearchText("SEARCH 10"))
        try await store.noteSearch(again)
        let last = try await store.searches()
        #expect(last.count == 20)
        #expect(last.prefix(3) == ["SEARCH 10", "search 24", "search 23"])
        #expect(last.count { $0.hasSuffix(" 10") } == 1)
        try await store.clearSearches()
        #expect(try await store.searches().isEmpty)
    }

    static let derivation = SearchDerivation { _ in { texts($0) } }

    static func texts(_ row: RecordRow) -> [String] {
        row.values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
