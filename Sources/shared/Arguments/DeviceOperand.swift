internal import ControlClient
internal import ShareControl

/// The device that a command means: by its id, and on a terminal, or where nothing would be changed,
/// also by a name that only one device has.
///
/// A name is what a device says of itself, so whoever means it by that is shown its id, and asked.
enum DeviceOperand {
    /// What the daemon is asked for; `text` as it is where no terminal is, or it is no name.
    ///
    /// - Parameters:
    ///   - text: as typed.
    ///   - what: what is going to be done, for the question: `remove`.
    ///   - end: the rest of the question for a member: ` editor`.
    ///   - owners: whether only owners may do it: others are refused, and not asked before.
    ///   - isTrial: whether it is only told what would be done: nobody is asked.
    ///   - isAsked: whether that changes anything for the member; else nobody is asked.
    ///   - beware: what to say of the member before that.
    /// - Throws: `Problem` with `interrupted` where the answer is no.
    static func id(
        _ text: String, to what: String, _ session: Session,
        end: (MemberAnswer) -> String = { _ in "" },
        owners: Bool = false, isTrial: Bool = false,
        isAsked: (MemberAnswer) -> Bool = { _ in true },
        beware: (MemberAnswer) -> String? = { _ in nil }
    ) throws(Problem) -> String {
        guard isTrial || Question.canBeAsked && !session.wantsJSON else { return text }
        let members: [MemberAnswer] = try session.client().answer(
            session.request("GET", ["members"], query: [("all", "true")]))
        let wanted = text.lowercased()
        let named = members.filter { $0.name.lowercased() == wanted && !$0.isFormerSelf }
        // The beginning of an id is an id, whoever calls itself so.
        guard let member = named.first, named.count == 1,
            !members.contains(where: { $0.id.dropFirst(4).hasPrefix(wanted) && $0.id != member.id })
        else { return text }
        let isRefused =
            owners && members.contains { $0.isSelf && $0.role != "owner" }
            && !session.arguments.has("--recovery")
            && session.arguments.value("--recovery-file") == nil
        guard !isTrial, isAsked(member), !isRefused else { return member.id }
        let role = member.removed == nil ? ", \(ScopeOptions.text(member.role, member.scopes))" : ""
        let who = "\(Terminal.plain(member.name)) (\(Text.short(member.id))\(role))"
        if let words = beware(member) { session.diagnostics.note(words) }
        guard try Question.yes("\(what) \(who)\(end(member))?") else {
            throw Problem(.interrupted, "nothing was done", hint: nil)
        }
        return member.id
    }
}
