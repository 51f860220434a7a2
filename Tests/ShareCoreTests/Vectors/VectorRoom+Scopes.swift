import ShareCrypto

@testable import ShareCore

/// A member that may enter what lies in its scope alone.
extension VectorRoom {
    mutating func makeScopes() {
        let fields = [FormField(name: "name", type: .text)]
        func form(_ id: String) -> ControlOperation {
            let own = FormDefinition.isRepeat(id) ? FormDefinition.repeatFields : []
            return .form(
                FormDefinition(
                    formID: id, version: "1", parents: [], fields: own + fields, json: "{}"))
        }
        let scope = Scope(forms: [
            Scope.Form(
                id: "visit",
                conditions: [
                    Scope.Condition(field: "name", values: ["Ann", "Zo\u{eb}"])
                ])
        ])
        seal(
            "scopes", by: .founder, .control, after: "repeats",
            [
                control(form("other"), form("visit/stop")),
                control(
                    .grant(
                        Grant(
                            subject: Writer.team.key, role: .collector, scope: scope,
                            firstControl: 1, firstRecords: 1, supersedes: []))),
                control(
                    .roleChange(
                        RoleChange(
                            subject: Writer.viewer.key, role: .contributor,
                            scope: Scope(forms: [Scope.Form(id: "other")]),
                            heads: CoveredHeads(control: [], records: [head("viewer-2")]),
                            supersedes: [name("departures", 1)]))),
            ])
        let visit = name("form-1", 0)
        let parent = ParentName(
            creator: Writer.team.key, id: VectorRoom.id(50)
        ).text
        func own(_ id: UInt64, _ index: Int, _ values: FieldValue...) -> Row {
            Row(id: id, parents: [OperationName(batch: .thisBatch, index: index)], values: values)
        }
        seal(
            "team-1", by: .team, after: nil,
            [
                records(
                    .put, visit, [0, 1], by: .team,
                    [
                        Row(id: 50, values: [.text("Ann"), .integer(1)]),
                        // Another value, another form of the same letters, and none.
                        Row(id: 51, values: [.text("Eve"), .integer(2)]),
                        Row(id: 52, values: [.text("Zoe\u{308}"), .integer(3)]),
                        Row(id: 53, values: [.absent, .integer(4)]),
                        Row(id: 54, values: [.text("Zo\u{eb}"), .integer(5)]),
                    ]),
                // Without the field, which an edit may leave alone.
                records(.put, visit, [1], by: .team, [Row(id: 55, values: [.integer(6)])]),
                records(.edit, visit, [1], by: .team, [own(50, 0, .integer(7))]),
                records(
                    .edit, visit, [0], by: .team,
                    [own(50, 0, .text("Zo\u{eb}")), own(50, 0, .text("Eve")), own(50, 0, .absent)]),
                records(.delete, visit, [], by: .team, [own(54, 4)]),
                records(.comment, visit, [], by: .team, [Row(id: 54, values: [.text("gone")])]),
                // Of the second version, whose field of the name has the same type.
                records(
                    .put, name("form-2", 0), [0], by: .team,
                    [Row(id: 56, values: [.text("Ann")]), Row(id: 57, values: [.text("Bea")])]),
                records(
                    .put, name("scopes", 0), [0], by: .team, [Row(id: 58, values: [.text("Ann")])]),
                // What a repeat belongs to is not looked at.
                records(
                    .put, name("scopes", 1), [0, 1, 2], by: .team,
                    [Row(id: 59, values: [.text(parent), .integer(1), .text("any")])]),
            ])
        seal(
            "viewer-3", by: .viewer, after: "viewer-2",
            [
                records(.put, visit, [1], by: .viewer, [Row(id: 44, values: [.integer(44)])]),
                records(
                    .put, name("scopes", 0), [0], by: .viewer, [Row(id: 45, values: [.text("x")])]),
            ])
    }
}
