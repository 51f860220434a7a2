import ShareFormats
import Testing

@Suite struct RoomViewsTests {
    private func views(_ text: String) throws -> [RoomView] {
        try RoomViews(json: Array("{\"views\": [\(text)]}".utf8)).views
    }

    private func fault(_ text: String) -> (detail: String, hint: String)? {
        do {
            _ = try RoomViews(json: Array("{\"views\": [\(text)]}".utf8))
            return nil
        } catch {
            return (error.description, error.hint)
        }
    }

    @Test func everyKindIsRead() throws {
        let read = try views(
            """
            {"name": "all", "kind": "figure", "form": "visit"},
            {"name": "koro", "title": {"en": "Koro"}, "kind": "target", "form": "visit",
             "where": "village = 'koro'", "goal": 20},
            {"name": "mean", "kind": "figure", "form": "visit", "agg": "mean", "field": "fever",
             "weight": "n", "decimals": 2},
            {"name": "by-day", "kind": "chart", "chart": "line", "form": "visit", "by": "day",
             "period": "week"},
            {"name": "rows", "kind": "table", "form": "visit", "columns": ["a", "b"],
             "sort": ["-_created"], "limit": 10},
            {"name": "food", "kind": "search", "group": "category"}
            """)
        #expect(
            read.map(\.kind.name) == ["figure", "target", "figure", "chart", "table", "search"])
        #expect(read[1].title.text(in: "en") == "Koro")
        #expect(read[1].condition == "village = 'koro'")
        guard case .target(_, 20) = read[1].kind else { return #expect(Bool(false)) }
        guard case .figure(let mean) = read[2].kind else { return #expect(Bool(false)) }
        #expect(mean.weight == "n" && mean.decimals == 2 && mean.aggregate == "mean")
    }

    @Test(
        arguments: [
            ("{\"kind\": \"figure\", \"form\": \"v\"}", "\"name\" is missing"),
            ("{\"name\": \"a b\", \"kind\": \"figure\", \"form\": \"v\"}", "a name has 1 to 63"),
            ("{\"name\": \"a\", \"kind\": \"figur\", \"form\": \"v\"}", "\"kind\" is \"figur\""),
            ("{\"name\": \"a\", \"kind\": \"figure\"}", "its form is missing"),
            (
                "{\"name\": \"a\", \"kind\": \"figure\", \"form\": \"v\", \"agg\": \"sum\"}",
                "sum needs a field"
            ),
            (
                "{\"name\": \"a\", \"kind\": \"figure\", \"form\": \"v\", \"goal\": 1}",
                "a figure has no \"goal\""
            ),
            ("{\"name\": \"a\", \"kind\": \"target\", \"form\": \"v\"}", "a target needs its goal"),
            (
                "{\"name\": \"a\", \"kind\": \"figure\", \"form\": \"v\", \"decimals\": -1}",
                "\"decimals\" is -1"
            ),
            (
                "{\"name\": \"a\", \"kind\": \"figure\", \"form\": \"v\", \"decimals\": 99}",
                "\"decimals\" is 99"
            ),
            (
                "{\"name\": \"a\", \"kind\": \"target\", \"form\": \"v\", \"goal\": 0}",
                "\"goal\" is 0"
            ),
            (
                "{\"name\": \"a\", \"kind\": \"target\", \"form\": \"v\", \"goal\": -2.5}",
                "\"goal\" is -2.5"
            ),
            (
                "{\"name\": \"a\", \"kind\": \"table\", \"form\": \"v\", \"limit\": 0}",
                "\"limit\" is 0"
            ),
            ("3", "should be an object, found a whole number"),
        ])
    func whatIsWrongIsSaid(text: String, detail: String) throws {
        let found = try #require(fault(text))
        #expect(found.detail.contains(detail), "\(found)")
        #expect(!found.hint.isEmpty)
    }

    @Test func aMisspeltMemberHasASuggestion() throws {
        let found = try #require(
            fault("{\"name\": \"a\", \"kind\": \"table\", \"form\": \"v\", \"colums\": []}"))
        #expect(found.hint == "Did you mean columns?")
    }

    @Test func aNameStandsOnce() throws {
        let one = "{\"name\": \"a\", \"kind\": \"figure\", \"form\": \"v\"}"
        #expect(try #require(fault("\(one), \(one)")).detail.contains("two views \"a\""))
    }
}
