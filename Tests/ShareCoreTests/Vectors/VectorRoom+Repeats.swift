import ShareCrypto

@testable import ShareCore

/// Rows of a repeat: those that count, and one of each kind that does not.
extension VectorRoom {
    mutating func makeRepeats() {
        makeRepeatForms()
        let dose = name("repeats", 0)
        func parent(_ writer: Writer, _ number: UInt64) -> FieldValue {
            .text(ParentName(creator: writer.key, id: VectorRoom.id(number)).text)
        }
        let own = parent(.collector, 10)
        let other = parent(.founder, 0)
        guard case .text(let text) = own else { return }
        let faults: [FieldValue] = [
            .absent, .text(""), .text(text.uppercased()), .text(String(text.dropFirst(4))),
            .text(text + " "), .text(text.replacing("/", with: "-")),
        ]
        seal(
            "collector-doses", by: .collector, after: "fork-a-2",
            [
                records(
                    .put, dose, [0, 1, 2], by: .collector,
                    [
                        Row(id: 50, values: [own, .integer(1), .text("BCG")]),
                        Row(id: 51, values: [own, .integer(2), .absent]),
                        // Of another's entry; of an entry that nobody knows.
                        Row(id: 52, values: [other, .integer(1), .text("mine")]),
                        Row(id: 53, values: [parent(.collector, 98), .integer(7), .text("early")]),
                        // Places that are none.
                        Row(id: 54, values: [own, .integer(0), .absent]),
                        Row(id: 55, values: [own, .absent, .absent]),
                    ]),
                records(
                    .put, dose, [0, 1], by: .collector,
                    faults.enumerated().map {
                        Row(id: 60 + UInt64($0.offset), values: [$0.element, .integer(1)])
                    }),
                // Neither place nor entry; another entry later; another place, right and wrong.
                records(
                    .put, dose, [2], by: .collector, [Row(id: 56, values: [.text("whose")])]),
                records(.edit, dose, [0], by: .collector, [Row(id: 50, values: [own])]),
                records(
                    .edit, dose, [1, 2], by: .collector,
                    [
                        Row(id: 51, values: [.integer(3), .text("OPV")]),
                        Row(id: 51, values: [.integer(-1), .text("OPV")]),
                        Row(id: 51, values: [.absent, .text("OPV")]),
                    ]),
                // Within that repeat another one.
                records(
                    .put, name("repeats", 1), [0, 1, 2], by: .collector,
                    [Row(id: 57, values: [parent(.collector, 50), .integer(1), .text("x-12")])]),
            ])
        seal(
            "founder-doses", by: .founder, after: "odd-kinds",
            [
                records(
                    .put, dose, [0, 1, 2], by: .founder,
                    [Row(id: 58, values: [own, .integer(2), .text("added by an owner")])])
            ])
    }

    private mutating func makeRepeatForms() {
        let own = FormDefinition.repeatFields
        func form(_ formID: String, _ fields: [FormField]) -> ControlOperation {
            .form(
                FormDefinition(
                    formID: formID, version: "2", parents: [], fields: fields,
                    json: #"{"repeat_of":"visit","version":"2"}"#))
        }
        let text = FormField(name: "lot", type: .text)
        seal(
            "repeats", by: .founder, .control, after: "departures",
            [
                control(
                    form("visit/dose", own + [FormField(name: "vaccine", type: .text)]),
                    form("visit/dose/lot", own + [text]),
                    // Without the two fields, with them turned, twice, and where they do not belong.
                    form("visit/a", [text]), form("visit/b", own.reversed() + [text]),
                    form("visit/c", own + own), form("plain", own + [text]),
                    form("visit/d", [FormField(name: "_parent", type: .integer), own[1]]),
                    // Parts that are none, or too long.
                    form("visit/", own), form("/visit", own), form("visit//a", own),
                    form(String(repeating: "a", count: 64), [text]),
                    form("visit/" + String(repeating: "a", count: 64), own),
                    form("visit/" + String(repeating: "a", count: 63), own))
            ])
    }
}
