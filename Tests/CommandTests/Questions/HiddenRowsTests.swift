import JSON
import ShareControl
import Testing

@testable import shared

/// Rows that are asked one by one, as another answer says.
@Suite struct HiddenRowsTests {
    /// A form of three rows, counted or added, of which those are asked whose number stands in `who`.
    private static func state(of request: EntryStateRequest, count: Int) -> EntryStateAnswer {
        var values = request.values
        let who = Set((values["who"]?.string ?? "").split(separator: " ").compactMap { Int($0) })
        var rows = (values["kid"]?.array ?? []).compactMap(\.object)
        while rows.count < count { rows.append([:]) }
        rows = Array(rows.prefix(count))
        let leftOut = (1...max(1, count)).filter { !who.contains($0) }
        var fields = [
            EntryField(
                path: "who", name: "who", type: "text", label: "Who?", value: values["who"] ?? .null
            ),
            EntryField(
                path: "kid", name: "kid", type: "repeat", label: "Kid",
                repeat: EntryRepeat(
                    count: count, canAdd: false, leftOut: leftOut.isEmpty ? nil : leftOut)),
        ]
        for (place, row) in rows.enumerated() {
            fields.append(
                EntryField(
                    path: "kid[\(place + 1)]/name", name: "name", type: "text", label: "Name",
                    isRelevant: who.contains(place + 1),
                    value: who.contains(place + 1) ? row["name"] ?? .null : .null))
        }
        let asked = rows.indices.filter { who.contains($0 + 1) }.map {
            JSONValue.object(rows[$0])
        }
        values["kid"] = asked.isEmpty ? nil : .array(asked)
        return EntryStateAnswer(
            form: "home", version: "1", title: "Home", language: "", languages: [],
            instanceName: nil, values: values, fields: fields,
            progress: EntryProgress(answered: 0, relevant: 0), problems: [], warnings: [])
    }

    private func run(
        _ lines: [String], values: JSONObject = [:], count: (JSONObject) -> Int = { _ in 3 }
    ) -> (saved: JSONObject?, interview: Interview, shown: [String]) {
        var interview = Interview(values: values, width: 80)
        var step = interview.begin()
        var shown: [String] = []
        func settle() {
            while case .request(let request) = step {
                step = interview.take(Self.state(of: request, count: count(request.values)))
            }
            shown += interview.takeLines().map(\.text)
        }
        settle()
        for line in lines {
            step = interview.answer(line)
            settle()
        }
        if case .save(let values) = step { return (values, interview, shown) }
        return (nil, interview, shown)
    }

    private func kids(_ names: String...) -> JSONValue {
        .array(names.map { .object(["name": .string($0)]) })
    }

    @Test func `an answer goes into the row that it was asked for`() {
        let (saved, interview, _) = run(["2 3", "Bo", "Cy", ""])
        // Which row it is decides whether it is asked for: those before it keep their places.
        let rows = JSONValue.array([[:], ["name": "Bo"], ["name": "Cy"]])
        #expect(saved == ["who": "2 3", "kid": rows])
        #expect(interview.values["kid"] == kids("Bo", "Cy"))
    }

    @Test func `a row that is hidden comes back with what it had, and the summary tells of it`() {
        let all = ["1 2 3", "Al", "Bo", "Cy"]
        let (saved, interview, shown) = run(all + ["1", "1 3", ""])
        let rows = JSONValue.array([["name": "Al"], [:], ["name": "Cy"]])
        #expect(saved?["who"] == "1 3" && saved?["kid"] == rows)
        #expect(interview.kept["kid"]?.array?.count == 3)
        #expect(shown.contains("Kid: not asked now; not saved: 1 row"))
        #expect(
            run(all + ["1", "1 3", "1", "1 2 3", ""]).saved?["kid"]
                == kids("Al", "Bo", "Cy"))
        // All of them, and one of them is answered anew meanwhile.
        #expect(
            run(all + ["1", "-", "1", "2", "2", "Bea", "1", "1 2", ""]).saved?["kid"]
                == kids("Al", "Bea"))
    }

    @Test func `rows beyond the number that the form counts come back with it`() {
        func count(_ values: JSONObject) -> Int { values["who"] == "1 2" ? 2 : 3 }
        let (saved, _, shown) = run(["1 2 3", "Al", "Bo", "Cy", "1", "1 2", ""], count: count)
        #expect(saved?["kid"] == kids("Al", "Bo"))
        #expect(shown.contains("Kid: not asked now; not saved: 1 row"))
        let back = run(["1 2 3", "Al", "Bo", "Cy", "1", "1 2", "1", "1 2 3", ""], count: count)
        #expect(back.saved?["kid"]?.array?.count == 3)
        #expect(back.saved?["kid"]?.array?.last == .object(["name": "Cy"]))
    }
}
