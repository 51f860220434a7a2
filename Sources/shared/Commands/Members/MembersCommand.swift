internal import ControlClient
internal import ShareControl

/// `shared members`
enum MembersCommand: Command {
    static let syntax = CommandSyntax(
        name: "members", summary: "the members of a room and their roles",
        options: [
            .init(name: "--all", help: "also who was removed or has left, when, and by whom"),
            .init(name: "--activity", help: "the entries of each by day, for the last week"),
            .init(
                name: "--wide", help: "also the release that each runs, and which forms it lacks"),
            .init(name: "--forms", help: "which version of each form the device of each has"),
        ],
        examples: ["shared members", "shared members --all --room clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        if session.arguments.has("--activity") { return try Activity.show(session) }
        if session.arguments.has("--forms") { return try showForms(session) }
        let isWide = session.arguments.has("--wide")
        let query = [(name: "all", option: "--all"), (name: "forms", option: "--wide")]
            .filter { session.arguments.has($0.option) }.map { (name: $0.name, value: "true") }
        let request = session.request("GET", ["members"], query: query)
        var isMember = true
        try session.answer(request, as: [MemberAnswer].self) {
            var table = Table(
                ["NAME", "ID", "ROLE", "RANK"] + (isWide ? ["RELEASE"] : [])
                    + ["LAST MET", "PROGRESS"])
            let pending = (try? session.unsent())?.pending ?? 0
            for member in $0 {
                let release = member.removed == nil ? member.release ?? "not known" : "-"
                table.add(
                    [
                        Text.nameBesideID(member.name, member.id), Text.short(member.id),
                        member.role,
                        member.rank.map { "\($0)" } ?? "-",
                    ] + (isWide ? [release] : []) + [
                        met(member.progress),
                        ((member.isSelf
                            ? ["this device"] : member.isFormerSelf ? ["this device, before"] : [])
                            + (member.removed.map { [how($0, member)] } ?? [])
                            + (member.progress.map { [words($0, pending)] } ?? []))
                            .joined(separator: "; "),
                    ], last: member.progress.flatMap(ProgressText.style))
            }
            table.write(to: session.output)
            isMember = $0.contains { $0.isSelf && $0.removed == nil }
            if isWide { formsInForce($0).forEach { session.output.text($0) } }
            if $0.count(where: { $0.rank != nil }) > 1 {
                session.diagnostics.note(
                    "nobody is removed or lowered by a device of a greater rank: first the founder,"
                        + " then whom the recovery code and the founder made owners, and so on; the"
                        + " recovery code outranks all")
            }
            for member in $0 {
                for scope in member.scopes {
                    session.output.line(
                        "\(Text.device(member.name, member.id)) enters"
                            + " \(ScopeOptions.text(scope))")
                }
                for fault in member.faults { session.output.text(fault, as: .red) }
            }
        }
        if !isMember { try keptHere(session) }
        session.noteUnsent()
        return .done
    }

    /// Says what a device that is no member any more has alone: its members have none of it.
    private static func keptHere(_ session: Session) throws(Problem) {
        let unsent = try session.unsent()
        guard unsent.onlyHere > 0 else { return }
        let verb = unsent.onlyHere == 1 ? "is" : "are"
        session.output.text("\(Text.changes(unsent.onlyHere)) \(verb) on this device alone")
    }

    private static func showForms(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["members"], query: [("forms", "true")])
        try session.answer(request, as: [MemberAnswer].self) { members in
            var table = Table(["NAME", "ID", "LAST MET", "FORMS"])
            for member in members {
                table.add([
                    Text.nameBesideID(member.name, member.id), Text.short(member.id),
                    met(member.progress), forms(member.forms ?? []),
                ])
            }
            table.write(to: session.output)
        }
        return .done
    }

    /// `forms in force: household 2, visit 3`, and who has not got these, as far as is known.
    private static func formsInForce(_ members: [MemberAnswer]) -> [String] {
        let present = members.filter { $0.removed == nil }
        guard let forms = present.compactMap(\.forms).first(where: { !$0.isEmpty }) else {
            return []
        }
        func text(_ form: String, _ version: String) -> String {
            Terminal.plain("\(form) \(version)")
        }
        var lines = [
            "forms in force: " + forms.map { text($0.form, $0.inForce) }.joined(separator: ", ")
        ]
        let called = CalledDevices(present.map { ($0.id, $0.name) })
        let late = present.compactMap { member -> String? in
            let older = (member.forms ?? []).filter { $0.isKnown && $0.version != $0.inForce }
            guard !older.isEmpty else { return nil }
            let list = older.map { one in
                one.version.map { text(one.form, $0) } ?? "no \(Terminal.plain(one.form))"
            }
            return "\(called(member.name, member.id)) (\(list.joined(separator: ", ")))"
        }
        let unknown = present.filter { $0.forms?.contains(where: \.isKnown) != true }
            .map { called($0.name, $0.id) }
        if !late.isEmpty { lines.append("not there yet: " + Text.list(late)) }
        if !unknown.isEmpty { lines.append("not known of " + Text.list(unknown)) }
        if late.isEmpty, unknown.isEmpty { lines[0] += ": everybody has them" }
        return lines
    }

    /// `household 2, visit 1 (2 is in force), no school`.
    private static func forms(_ forms: [MemberForm]) -> String {
        if forms.isEmpty { return "-" }
        if !forms.contains(where: \.isKnown) { return "not known" }
        return forms.map { form in
            guard form.isKnown else { return "\(form.form) not known" }
            guard let version = form.version else { return "no \(form.form)" }
            return "\(form.form) \(version)"
                + (version == form.inForce ? "" : " (\(form.inForce) is in force)")
        }.joined(separator: ", ")
    }

    private static func met(_ progress: MemberProgress?) -> String {
        switch progress?.state {
        case nil: "-"
        case "never_met": "never"
        case "away": progress?.lastMet.map { Text.shortTime($0) } ?? "?"
        case "silent": "\(progress?.silentSeconds ?? 0) s ago"
        default: "now"
        }
    }

    /// Whether it has all that is here; of one that is away, as far as was known then.
    ///
    /// - Parameter pending: entries and changes here that are not sent.
    private static func words(_ progress: MemberProgress, _ pending: Int) -> String {
        if ProgressText.isUpToDate(progress) { return Text.upToDate(pending: pending) }
        guard ["away", "silent"].contains(progress.state) else {
            return ProgressText.words(progress)
        }
        let seen = progress.isSeen && progress.state == "away" ? ["seen, no answer"] : []
        let known = ProgressText.apart(
            behind: progress.behind, ahead: progress.ahead, unsent: progress.unsent,
            met: progress.lastMet)
        return (seen + known).joined(separator: ", ")
    }

    /// When a former member went, and who removed it for what reason.
    private static func how(_ removal: RemovalAnswer, _ member: MemberAnswer) -> String {
        let time = Text.time(removal.at)
        guard removal.by.id != member.id else { return time }
        let reason = removal.reason.isEmpty ? "" : ": \(removal.reason)"
        return "\(time) by \(Text.device(removal.by))\(reason)"
    }
}
