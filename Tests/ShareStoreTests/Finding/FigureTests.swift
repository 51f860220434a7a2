import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

struct FigureTests {
    @Test func `a question whose asker has left ends`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let scene = try FilterScene(&random, rows: 0)
        let asked = Task {
            try await scene.reader.perform { reader in
                _ = try reader.database.integer(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT max(i) FROM n
                    """)
            }
        }
        asked.cancel()
        await #expect { try await asked.value } throws: {
            ($0 as? SQLiteError)?.isInterrupted == true
        }
    }

    @Test func `figures are what adding up by hand gives`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let scene = try FilterScene(&random, rows: 0)
        var rows: [(name: String?, age: Int64?)] = []
        for _ in 0..<200 {
            let name = ["a", "b", "c", nil][Int.random(in: 0..<4, using: &random)]
            let age = Bool.random(using: &random) ? Int64.random(in: -5...89, using: &random) : nil
            rows.append((name, age))
            try scene.add([
                name.map { .text($0) } ?? .absent, age.map { .integer($0) } ?? .absent,
            ])
        }
        let figures = try await scene.reader.figures(
            scene.form,
            FigureQuery(by: [.value(.column("name"))], of: .column("age"), hasMedian: true))
        #expect(figures.records == 200)
        // The same where the numbers are sorted on the disk.
        var query = FigureQuery(
            by: [.value(.column("name"))], of: .column("age"), hasMedian: true)
        query.mostSorted = 3
        #expect(try await scene.reader.figures(scene.form, query) == figures)
        for group in figures.groups {
            let name: String? = if case .text(let text) = group.keys[0] { text } else { nil }
            let all = rows.filter { $0.name == name }
            let ages = all.compactMap(\.age).map(Double.init).sorted()
            #expect(group.records == all.count)
            #expect(group.n == ages.count)
            #expect(group.sum == ages.reduce(0, +))
            #expect(group.least == ages.first)
            #expect(group.greatest == ages.last)
            let middle = ages.count / 2
            let median =
                ages.isEmpty
                ? nil
                : ages.count % 2 == 1 ? ages[middle] : (ages[middle - 1] + ages[middle]) / 2
            #expect(group.median == median)
        }
        #expect(figures.groups.map(\.records) == figures.groups.map(\.records).sorted(by: >))
        let statistics = try await scene.reader.statistics(scene.form, of: .column("age"))
        let ages = rows.compactMap(\.age)
        #expect(statistics.n == ages.count)
        #expect(statistics.missing == 200 - ages.count)
        #expect(statistics.distinct == Set(ages).count)
        let bins = try await scene.reader.bins(
            scene.form, of: .column("age"), start: -10, width: 10, count: 10)
        #expect(bins == (0..<10).map { bin in ages.count { ($0 + 10) / 10 == bin } })
    }

    @Test func `recovery of the ten patients`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for value in [70, 55, 10, 25, 75, 30, 60, 35, 45, 15] {
            try scene.add([.absent, .integer(Int64(value))])
        }
        let found = try await scene.reader.statistics(scene.form, of: .column("age"))
        #expect((found.n, found.missing, found.distinct) == (10, 0, 10))
        #expect((found.sum, found.mean) == (420, 42))
        #expect((found.least, found.greatest) == (.integer(10), .integer(75)))
        #expect(found.quartiles == [26.25, 40, 58.75])
    }

    @Test func `of nothing there is no figure, and no number that is none`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        try scene.add([.text("a")])
        let statistics = try await scene.reader.statistics(scene.form, of: .column("age"))
        #expect(statistics.sum == nil && statistics.mean == nil && statistics.quartiles == nil)
        #expect(statistics.least == .absent)
        let figures = try await scene.reader.figures(
            scene.form,
            FigureQuery(
                where: [.init(.column("name"), equals: .text("x"))], of: .column("age"),
                hasMedian: true))
        #expect(figures.records == 0)
        #expect(figures.groups.allSatisfy { $0.mean == nil && $0.median == nil })
        let grouped = try await scene.reader.figures(
            scene.form,
            FigureQuery(
                where: [.init(.column("name"), equals: .text("x"))],
                by: [.value(.column("age"))]))
        #expect(grouped.groups.isEmpty)
    }

    @Test func `several choices count for each, and days follow each other`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for (words, day) in [
            ("cough fever", "2026-11-22"), ("fever", "2026-11-20"), ("cough", "2026-11-22"),
        ] {
            try scene.add([.absent, .absent, .absent, .text(day), .text(words)])
        }
        let choices = try await scene.reader.figures(
            scene.form, FigureQuery(by: [.choices(.column("words"))]))
        #expect(choices.records == 3)
        #expect(choices.groups.map(\.keys) == [[.text("cough")], [.text("fever")]])
        #expect(choices.groups.map(\.records) == [2, 2])
        func periods(_ period: FigureQuery.Period) async throws -> [[FieldValue]] {
            try await scene.reader.figures(
                scene.form, FigureQuery(by: [.period(.column("seen"), period)])
            ).groups.map(\.keys)
        }
        #expect(try await periods(.day) == [[.text("2026-11-20")], [.text("2026-11-22")]])
        #expect(try await periods(.week) == [[.text("2026-11-16")]])
        #expect(try await periods(.month) == [[.text("2026-11-01")]])
    }

    @Test func `of several choices each has its median, and an entry is counted once`() async throws
    {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for (words, age, name) in [
            ("a b", 10, "x"), ("a", 20, "x"), ("a b", nil, "x"), ("b a", 60, "y"), (nil, 7, "x"),
            ("q\"\\", 3, nil), ("a a", 40, "y"),
        ] as [(String?, Int64?, String?)] {
            try scene.add([
                name.map { .text($0) } ?? .absent, age.map { .integer($0) } ?? .absent, .absent,
                .absent, words.map { .text($0) } ?? .absent,
            ])
        }
        let figures = try await scene.reader.figures(
            scene.form,
            FigureQuery(by: [.choices(.column("words"))], of: .column("age"), hasMedian: true))
        let medians = Dictionary(
            uniqueKeysWithValues: figures.groups.map { ($0.keys[0], $0.median) })
        #expect(
            medians == [
                .text("a"): 30, .text("b"): 35, .text("q\"\\"): 3, .absent: 7,
            ])
        #expect(figures.records == 7 && figures.whole?.map(\.n) == [6])
        let two = try await scene.reader.figures(
            scene.form,
            FigureQuery(
                by: [.value(.column("name")), .choices(.column("words"))], of: .column("age"),
                hasMedian: true))
        #expect(two.groups.first { $0.keys == [.text("y"), .text("a")] }?.median == 50)
    }

    @Test func `texts that are all numbers have figures, and others have none`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        let name = RecordQuery.Subject.column("name")
        #expect(try await scene.reader.asNumbers(scene.form, name) == name)
        for text in ["9.7", "27,7", " 10 "] { try scene.add([.text(text)]) }
        try scene.add([.absent])
        let numbers = try await scene.reader.asNumbers(scene.form, name)
        #expect(numbers == .number("name"))
        let found = try await scene.reader.statistics(scene.form, of: numbers)
        #expect(found.n == 3 && found.missing == 1 && found.greatest == .decimal(27.7))
        #expect(found.quartiles?[1] == 10)
        try scene.add([.text("ten")])
        #expect(try await scene.reader.asNumbers(scene.form, name) == name)
    }

    @Test(arguments: ["0000-02-29", "0001-01-01", "0026-10-02", "0999-12-31", "9999-12-31"])
    func `a day is written as it is stored`(day: String) throws {
        let number = try #require(CalendarText.day(of: day))
        #expect(CalendarText.text(ofDay: number) == day)
    }

    @Test func `rows of one first group stand together`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for (name, word, count) in [("a", "x", 5), ("b", "x", 4), ("b", "y", 3), ("a", "y", 1)] {
            for _ in 0..<count {
                try scene.add([.text(name), .absent, .absent, .absent, .text(word)])
            }
        }
        let figures = try await scene.reader.figures(
            scene.form, FigureQuery(by: [.value(.column("name")), .value(.column("words"))]))
        #expect(figures.groups.map(\.records) == [4, 3, 5, 1])
    }

    @Test func `a mean is weighted where that is asked for`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for (points, credits) in [(4.0, 3), (2.0, 1), (nil, 9), (3.0, nil)] as [(Double?, Int64?)] {
            try scene.add([
                .absent, credits.map { .integer($0) } ?? .absent,
                points.map { .decimal($0) } ?? .absent,
            ])
        }
        let group = try await scene.reader.figures(
            scene.form, FigureQuery(of: .column("weight"), weight: .column("age"))
        ).groups.first
        #expect(group?.mean == 3.5)
    }

    @Test func `many groups are cut, and the rest is one`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for number in 0..<30 {
            try scene.add([.text("n\(min(number, 20))"), .integer(1)])
        }
        let figures = try await scene.reader.figures(
            scene.form, FigureQuery(by: [.value(.column("name"))], of: .column("age")), limit: 5)
        #expect(figures.groups.count == 5 && figures.more == 16)
        #expect(figures.groups[0].keys == [.text("n20")] && figures.groups[0].records == 10)
        #expect(figures.rest?.records == 16 && figures.rest?.sum == 16)
    }
}
