import Expressions
import Foundation
import ShareCore
import ShareFormats
import ShareTestKit
import Testing

@testable import ShareForms

struct DocumentTests {
    /// The example of docs/forms.md, "Logic".
    private func visit() throws -> Questionnaire {
        let path = Repository.url("docs/forms.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let block = try #require(
            text.split(separator: "```json\n").first { $0.contains("\"form_id\": \"visit\"") })
        let json = try #require(block.split(separator: "```").first)
        return Questionnaire(try Form(json: Array(json.utf8)))
    }

    @Test func `the form in the documentation does what is said of it`() throws {
        let form = try visit()
        #expect(form.findings.isEmpty)
        let state = fill(form, ["region": "north", "site": "a", "temp": -61.0])
        #expect(state["day"] == "2026-11-23" && state.instanceName == "a 2026-11-23")
        #expect(state.problems == ["temp: Between -60 and 60"])
        #expect(
            fill(form, language: "fr", ["region": "north", "temp": -61.0]).problems
                == ["temp: Entre -60 et 60"])
        state.set("temp", 46.0)
        #expect(state.problems.isEmpty)
        #expect(state.cautions().map(\.message) == ["46 is hot"])
        #expect(state.cautions().map(\.tip) == ["Look again"])
        state.set("ill", "yes")
        #expect(state.problems == ["since: field since is required"])
        state.set("since", "2026-11-20")
        #expect(state["days"] == 3 && state.problems.isEmpty)
        state.set("ill", "no")
        #expect(state["since"] == .absent && state["days"] == .absent)
        let site = try #require(state.node(at: "site"))
        #expect(state.choices(at: site, limit: 9)?.offers.map(\.label) == ["Aton"])
        state.set("region", "south")
        #expect(state["site"] == .absent)
        let file = fill(form, clearing: .never, ["region": "south", "site": "a"])
        #expect(file.problems == ["site: field site has no choice \"Aton\""])
    }
}
