internal import JSON
internal import ShareControl

/// `shared refused`
enum RefusedCommand: Command {
    static let syntax = CommandSyntax(
        name: "refused", summary: "what was received and not applied, and why",
        options: [.init(name: "--answers", help: "with what new entries say, the first hundred")],
        notes: [
            "An entry that is refused stands in no list. Enter it again where that is allowed, with",
            "what --answers tells of it.",
        ],
        examples: ["shared refused", "shared refused --answers"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let hasAnswers = session.arguments.has("--answers")
        let request = session.request(
            "GET", ["refused"], query: hasAnswers ? [("answers", "true")] : [])
        try session.answer(request, as: [RefusedAnswer].self) { refused in
            guard !refused.isEmpty else { return session.output.line("nothing was refused") }
            for item in refused {
                session.output.text(line(item))
                for answer in item.answers { session.output.text("  " + words(answer)) }
            }
            if hasAnswers, refused.contains(where: { $0.what == "put" && $0.answers.isEmpty }) {
                session.diagnostics.note(
                    "what some entries say is left out: 16 MiB of answers are told in all")
            }
            var said: Set<String> = []
            for case let hint? in refused.map(\.hint) where said.insert(hint).inserted {
                session.diagnostics.note(hint)
            }
        }
        return .done
    }

    /// `bakary: new waterpoint 47249fc0, 15:31: its role did not allow it`
    private static func line(_ item: RefusedAnswer) -> String {
        let author = Text.name(item.authorName, item.author)
        let time = item.at.map { ", \(Text.shortTime($0))" } ?? ""
        return "\(author): \(what(item))\(time): \(why(item.reason))"
    }

    /// `hid: VV3, area: east`
    private static func words(_ answer: JSONObject) -> String {
        answer.members.map { member in
            let value = member.value.array ?? [member.value]
            let texts = value.map { $0.string ?? String(decoding: $0.text, as: UTF8.self) }
            return Terminal.plain("\(member.key): \(texts.joined(separator: ", "))")
        }.joined(separator: ", ")
    }

    private static func what(_ item: RefusedAnswer) -> String {
        // Of several the first alone is named.
        let short = item.count > 1 ? nil : item.record.map { Text.shortRecord($0) }
        let entry = short.map { id in item.key.map { " \($0) (\(id))" } ?? " \(id)" } ?? ""
        let form = item.form.map { " \($0)" } ?? ""
        let count = item.count > 1 ? "\(Text.number(item.count)) times " : ""
        switch item.what {
        case "put": return "\(count)new\(form)\(entry)"
        case "edit": return "\(count)change of\(form)\(entry)"
        case "delete", "restore", "review", "comment":
            let verbs = [
                "delete": "deleted", "restore": "brought back", "review": "reviewed",
                "comment": "commented",
            ]
            return "\(count)\(verbs[item.what] ?? item.what)\(form)\(entry)"
        default:
            let device = item.device.map { " of \(Text.name($0.name, $0.id))" } ?? ""
            return "\(count)\(item.what)\(device)\(form)\(entry)"
        }
    }

    private static func why(_ reason: String) -> String {
        switch reason {
        case "removed": "it was removed by then"
        case "before grant": "it was no member by then"
        case "role": "its role did not allow it"
        case "scope": "outside of what it is assigned"
        case "outranked": "the other was an owner before it"
        case "late": "said too late"
        case "type": "a value of the wrong type"
        case "form refused": "its form is refused"
        case "forked": "the device was copied too often"
        default: reason
        }
    }
}
