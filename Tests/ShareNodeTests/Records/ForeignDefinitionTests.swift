import JSON
import ShareControl
import ShareCore
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Definitions whose description says other fields than those that travel beside it: a program of
/// somebody's own can send them (docs/protocol.md, "form").
@Suite struct ForeignDefinitionTests {
    private static let fields = [
        FormField(name: "name", type: .text), FormField(name: "age", type: .integer),
    ]

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            // Another field, another type, a field more, one less, another form, no form, no JSON.
            #"{"form_id":"visit","fields":[{"name":"name","type":"text"},{"name":"fever","type":"integer"}]}"#,
            #"{"form_id":"visit","fields":[{"name":"name","type":"text"},{"name":"age","type":"text"}]}"#,
            #"{"form_id":"visit","fields":[{"name":"name","type":"text"},{"name":"age","type":"integer"},{"name":"more","type":"text","required":true}]}"#,
            #"{"form_id":"visit","fields":[{"name":"name","type":"text","required":true}]}"#,
            #"{"form_id":"other","fields":[{"name":"name","type":"text"},{"name":"age","type":"integer"}]}"#,
            "{}", "no JSON", "",
        ])
    func `fields count, whatever the description says`(json: String) async throws {
        let sender = try await TestNode("ward-1")
        try await sender.create("clinic")
        let receiver = try await TestNode("ward-2", peers: [sender])
        try await receiver.join("clinic", code: try await sender.invite("editor"))
        // Not as `form add` does, which makes the one of the other.
        let definition = FormDefinition(
            formID: "visit", version: "1", parents: [], fields: Self.fields, json: json)
        let room = try await sender.room("clinic")
        _ = try await sender.node.sealing.control(in: room, as: .editor) { _ in
            [.form(definition)]
        }
        try await TestNode.untilAlike([sender, receiver], in: "clinic")

        for node in [sender, receiver] {
            // Nothing is required, and the numbers are numbers.
            let _: AddedAnswer = try await node.post(
                "/v1/records/visit", ValuesRequest(values: ["age": .integer(7)]))
            let problem = try await TestNode.problem {
                let _: AddedAnswer = try await node.post(
                    "/v1/records/visit", ValuesRequest(values: ["age": "old"]))
            }
            #expect(problem != nil)
            let other = try await TestNode.problem {
                let _: AddedAnswer = try await node.post(
                    "/v1/records/visit", ValuesRequest(values: ["fever": .integer(7)]))
            }
            #expect(other?.detail.contains("fever") == true, "\(String(describing: other))")
            let _: PushAnswer = try await node.post(
                "/v1/push", PushRequest(timeoutMilliseconds: 20_000))
        }
        try await TestNode.untilAlike([sender, receiver], in: "clinic")
        for node in [sender, receiver] {
            let store = try await node.room("clinic").store
            let form = try #require(await store.form("visit"))
            #expect(form.columns.map(\.field) == Self.fields)
            #expect(form.records == 2)
            #expect(try await store.counts().refused == 0)
            let forms = try await node.get("/v1/forms", as: [FormAnswer].self)
            #expect(forms.count == 1)
        }
        await receiver.stop()
        await sender.stop()
    }
}
