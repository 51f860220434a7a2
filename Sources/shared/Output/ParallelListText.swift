internal import ShareControl

/// What is said of a list that people have changed at once.
enum ParallelListText {
    /// So many that are not in force are named.
    private static let named = 4

    /// `list fur: two versions were made at once, by coord (2026-11-26 15:20) and by amina
    /// (2026-11-26 15:31): amina's is in force. To offer what both have, add one made of both:
    /// shared lists add fur.csv; shared lists export fur --by coord writes the other`.
    static func line(_ list: ParallelList) -> String {
        let others = Array(list.others.prefix(named))
        let all = others + [list.inForce]
        let names = all.map { ParallelFormText.name($0.by, among: all.map(\.by)) }
        let isTaken = (list.others + [list.inForce]).contains { $0.rows == 0 }
        var made = zip(all, names).map { one, name in
            (isTaken ? one.rows == 0 ? "taken away " : "changed " : "")
                + "by \(name) (\(Text.time(one.at)))"
        }
        let more = list.others.count - others.count
        if more > 0 { made.insert("\(more) more", at: others.count) }
        let count = list.others.count + 1
        let what =
            isTaken
            ? "\(Text.list(made)) at once"
            : "\(count == 2 ? "two" : Text.number(count)) versions were made at once,"
                + " \(Text.list(made))"
        let inForce =
            list.inForce.rows > 0
            ? ParallelFormText.inForce(names, all.map(\.by)) : "it is taken away"
        return "list \(Terminal.plain(list.list)): \(what): \(inForce)."
            + " \(hint(list, names, isTaken))"
    }

    private static func hint(
        _ list: ParallelList, _ names: [String], _ isTaken: Bool
    ) -> String {
        let isPair = list.others.count == 1
        let name = Terminal.plain(list.list)
        let add = "shared lists add \(Shell.quoted(name + ".csv"))"
        let what =
            isTaken
            ? "To have it, add it again: \(add); to have it away: shared lists remove"
                + " \(Shell.quoted(name))"
            : "To offer what \(isPair ? "both" : "all") have, add one made of"
                + " \(isPair ? "both" : "all"): \(add)"
        // What takes it away has no rows.
        guard list.others.contains(where: { $0.rows > 0 }) else { return what }
        let by =
            isPair
            ? ParallelFormText.argument(list.others[0].by, called: names[0]) : "DEVICE"
        return "\(what); shared lists export \(Shell.quoted(name)) --by \(by) writes"
            + " \(isPair ? "the other" : "each")"
    }
}
