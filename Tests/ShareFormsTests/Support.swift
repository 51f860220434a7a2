import Expressions
import JSON
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

/// A form of these fields and lists.
func questionnaire(
    _ fields: String, lists: String = "{}", _ rest: String = ""
) throws -> Questionnaire {
    let json = #"{"form_id":"f","version":"1","fields":[\#(fields)],"lists":\#(lists)\#(rest)}"#
    return Questionnaire(try Form(json: Array(json.utf8)))
}

extension EntrySetting {
    /// Noon of 2026-11-23 in UTC, on the device ward-1.
    static func noon(
        offset: Int64 = 0, list: @escaping (String) -> (any ChoiceRows)? = { _ in nil }
    ) -> EntrySetting {
        EntrySetting(
            now: Moment(milliseconds: 1_795_435_200_000), offset: { _ in offset },
            deviceID: "device", username: "ward-1", randomBits: { 4 }, list: list)
    }
}

/// Answers by path: `age`, `sighting[2]/species`; what lies in repeats last.
func fill(
    _ questionnaire: Questionnaire, answers: Answers = Answers(),
    kind: FillState.Kind = .new, language: String? = nil, clearing: FillState.Clearing = .always,
    setting: EntrySetting = .noon(), steps: Int = 400_000,
    _ values: KeyValuePairs<String, FieldValue> = [:]
) -> FillState {
    let state = FillState(
        questionnaire, answers, kind: kind, language: language, clearing: clearing,
        setting: setting, budget: Budget(steps: steps))
    for (path, value) in values { state.set(path, value) }
    return state
}

extension FillState {
    func set(_ path: String, _ value: FieldValue) {
        if let node = node(at: path) { set(value, at: node) } else { Issue.record("no \(path)") }
    }

    /// The value at a path; absent where it is not relevant.
    subscript(path: String) -> FieldValue? {
        node(at: path).map { isRelevant($0) ? value(at: $0) : .absent }
    }

    var problems: [String] { faults(isSaving: false).map { "\($0.path): \($0.message)" } }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral
{
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .integer(number) }
    /// A decimal number.
    public init(floatLiteral number: Double) { self = .decimal(number) }
}
