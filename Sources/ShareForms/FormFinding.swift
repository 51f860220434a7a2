package import JSON
internal import ShareFormats

/// Something about a form's logic that its author should look at. Most of it stops nothing: what it is
/// about is kept word for word, and not checked here.
package struct FormFinding: Hashable, Sendable {
    /// The field, group or repeat.
    package let subject: String
    /// The member, for instance `constraint`.
    package let member: String
    /// Where in the definition that is.
    package let path: JSONPath
    /// Where in the expression, in bytes.
    package let offset: Int?
    /// One clause, without a full stop.
    package let text: String
    package let hint: String?
    /// Whether a field is named that is not there.
    package var isAboutField = false
    /// Whether nobody can mean it so: a form that is written has to be mended first.
    package var isFault = false

    /// The finding in one line, without its hint.
    package var sentence: String { "\(subject): \(member): \(text)" }

    /// The same with the line and column of the definition's text in front.
    package func located(in json: [UInt8]) -> String {
        guard let position = path.place(in: json, character: offset) else { return sentence }
        return "line \(position.line), column \(position.column): " + sentence
    }

    /// All in one line.
    package func description(in json: [UInt8]) -> String {
        hint.map { "\(located(in: json)). \($0)" } ?? located(in: json)
    }
}

/// The findings of a form as they are made, each with its place in the order of the form.
struct FindingList {
    /// A finding and its place in the order of the form.
    typealias Ordered = (order: Int, finding: FormFinding)

    /// Of a form of 512 KiB, 100,000 can be found: who reads them is shown a tenth of these.
    static let mostKept = 1_000

    private(set) var kept: [Ordered] = []
    /// Those that are counted and not kept.
    private(set) var further = 0

    /// Whether the next one may be among those that are shown, so that it needs a hint.
    var isShown: Bool { kept.count < FormLimits.warnings }

    /// Keeps a finding, or counts it where there are many; a fault is always kept, as it has to be
    /// mended.
    mutating func append(_ found: Ordered) {
        if kept.count < FindingList.mostKept || found.finding.isFault {
            kept.append(found)
        } else {
            further += 1
        }
    }
}

extension Questionnaire {
    /// What has to be mended before the form is added: what and where, and what to do.
    package var faults: [(message: String, hint: String?)] {
        let json = Array(form.json.utf8)
        return findings.filter(\.isFault).prefix(FormLimits.warnings).map {
            ($0.located(in: json), $0.hint)
        }
    }

    /// What is to be said to who adds the form: all that is kept and does not act, a line each.
    package var notes: [String] {
        let json = Array(form.json.utf8)
        let shown = findings.prefix(FormLimits.warnings).map { $0.description(in: json) }
        let more = findings.count - shown.count + furtherFindings
        return form.warnings.map(\.description) + shown + (more > 0 ? ["and \(more) more"] : [])
    }
}
