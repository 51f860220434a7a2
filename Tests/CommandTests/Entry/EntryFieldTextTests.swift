import JSON
import ShareControl
import Testing

/// The text of a field of the state call is written by hand, and read by the compiler's rule.
@Suite struct EntryFieldTextTests {
    private var whole: EntryField {
        var field = EntryField(
            path: "kid[1]/age", name: "age", type: "select_one", label: "Age \"x\"", hint: "h",
            unit: "a", group: ["Kids", "1"], isRelevant: false, isRequired: true, isReadOnly: true,
            value: .array(["a", .integer(1)]), display: "d", message: "m", warning: "w", tip: "t",
            choices: [EntryChoice(name: "n", label: "l"), EntryChoice(name: "o", label: "p")],
            choicesTotal: 7, choicesMore: true,
            repeat: EntryRepeat(count: 3, min: 1, max: 4, canAdd: true, leftOut: [2, 3]))
        field.earlier = EntryField.Earlier(version: "1", value: "v")
        field.lastSaved = "s"
        return field
    }

    @Test func `a field is read as it was written`() throws {
        let empty = EntryField(path: "", name: "", type: "", label: "")
        for field in [whole, empty] {
            let json = try #require(field.json.object)
            #expect(try EntryField(json: .object(json)) == field)
            let properties = Mirror(reflecting: field).children.count
            #expect(
                json.members.count == properties && Set(json.members.map(\.key)).count == properties
            )
        }
        let rows = try #require(whole.json.object?["repeat"]?.object)
        #expect(
            rows.members.count
                == Mirror(reflecting: EntryRepeat(count: 0, canAdd: true)).children.count)
        #expect(rows["left_out"] == .array([.integer(2), .integer(3)]))
    }
}
