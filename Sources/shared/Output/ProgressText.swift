internal import ShareControl

/// What people ask first: who is up to date, and whose entries are missing where.
enum ProgressText {
    /// So many members with something to be said of them are named.
    private static let named = 5

    /// `3 of 5 up to date; daouda not met since 15:29; chloe has 20 entries that it has not sent`.
    static func summary(of room: RoomStatus) -> String {
        let others = room.others
        let unsent = max(room.pending - room.withheld, 0)
        guard !others.isEmpty else {
            return Text.line(["nobody else is in it yet: shared invite"] + own(room))
        }
        let isLacking = others.contains { $0.state == "differs" && ($0.ahead ?? 0) > 0 }
        let isComplete = unsent == 0 && room.withheld == 0 && !isLacking
        let same = others.count(where: isUpToDate) + (isComplete ? 1 : 0)
        // A contributor has less than the others.
        if room.role == "contributor" {
            let has = others.count(where: isUpToDate)
            let who =
                has < others.count
                ? "\(has) of \(others.count) others \(has == 1 ? "has" : "have")"
                : has == 1 ? "the other one has" : "all \(has) others have"
            return Text.line(["\(who) what this device has sent"] + own(room) + rest(others))
        }
        let all = others.count + 1
        let count =
            same < all
            ? "\(same) of \(all) up to date"
            : all == 2 ? "both up to date" : "all \(all) up to date"
        return Text.line([count] + own(room) + rest(others))
    }

    /// Whether a member is known to have everything that is here, and to keep nothing back.
    static func isUpToDate(_ member: MemberProgress) -> Bool {
        member.state == "up_to_date" && (member.unsent ?? 0) == 0
    }

    /// How the summary of a room stands out: where somebody has something to do, or another state.
    static func style(of room: RoomStatus) -> Style? {
        if room.others.contains(where: { style(of: $0) == .red }) { return .red }
        let isDone = room.pending == 0 && room.others.allSatisfy(isUpToDate)
        return isDone ? nil : .yellow
    }

    /// How the words about a member stand out.
    static func style(of member: MemberProgress) -> Style? {
        member.state == "digest_differs" ? .red : isUpToDate(member) ? nil : .yellow
    }

    private static func own(_ room: RoomStatus) -> [String] {
        let unsent = room.pending - room.withheld
        var said: [String] = []
        if unsent > 0 {
            // Of all that is pending it is known how many are entries.
            let what =
                room.withheld == 0
                ? Text.unsent(unsent, new: room.pendingEntries) : Text.changes(unsent)
            said.append(
                room.autopush
                    ? "\(what) here \(unsent == 1 ? "goes" : "go") out when somebody is in reach"
                    : "\(what) here not sent yet: shared push")
        }
        if room.withheld > 0 {
            let verb = room.withheld == 1 ? "is" : "are"
            said.append("\(Text.changes(room.withheld)) here \(verb) not sent")
        }
        return said
    }

    /// Those who are not up to date, and why.
    static func rest(_ others: [MemberProgress]) -> [String] {
        let called = CalledDevices(others)
        let lines = others.filter { !isUpToDate($0) }.map { member in
            "\(called(member.name, member.id)) \(words(member))"
        }
        let more = lines.count - named
        return lines.prefix(named) + (more > 0 ? ["and \(more) more: shared members"] : [])
    }

    /// That a member has entries that it has not sent, as far as is known, with its name; nil where
    /// it has none.
    static func unsent(_ member: MemberAnswer) -> String? {
        guard let progress = member.progress, let unsent = progress.unsent, unsent > 0 else {
            return nil
        }
        let name = Text.name(member.name, member.id)
        guard progress.state == "away", let met = progress.lastMet else {
            return "\(name) \(has(unsent: unsent))"
        }
        return "\(name) had \(Text.changes(unsent)) that it had not sent at \(Text.shortTime(met))"
    }

    /// Whose entries are not sent, and what they do about it; nil where there is nobody.
    static func unsent(of members: [MemberProgress], _ called: CalledDevices) -> String? {
        // Of one that does not answer it is known how it was, and not what it has sent since.
        let apart = members.filter { ["away", "silent", "never_met"].contains($0.state) }
        let stuck = members.filter { !apart.contains($0) && $0.role == "viewer" }
        let here = members.filter { !apart.contains($0) && !stuck.contains($0) }
        var parts: [String] = []
        if !here.isEmpty {
            let listed = here.map {
                "\(Text.changes($0.unsent ?? 0)) of \(called($0.name, $0.id))"
            }
            // Whether the room's quota, or what it is assigned, keeps some of it back, it knows alone.
            parts.append(
                "not sent yet: \(Text.firstOf(listed)): shared push there sends what it may")
        }
        if !stuck.isEmpty {
            let listed = stuck.map {
                "\(Text.changes($0.unsent ?? 0)) of \(called($0.name, $0.id))"
            }
            parts.append("not sent: \(Text.firstOf(listed)): viewers may not")
        }
        parts += apart.prefix(named).map { member in
            let name = called(member.name, member.id)
            let met = member.lastMet.map { " at \(Text.shortTime($0))" } ?? ""
            return "\(name) had \(Text.changes(member.unsent ?? 0)) that it had not sent\(met)"
        }
        if apart.count > named { parts.append("so had \(apart.count - named) more") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// That a device has made something and not sent it.
    static func has(unsent: Int) -> String { "has \(Text.changes(unsent)) that it has not sent" }

    /// How one stood that does not answer, as far as is known.
    ///
    /// - Parameter met: when it was met last: what it has entered since nobody knows.
    static func apart(behind: Int?, ahead: Int?, unsent: Int?, met: String?) -> [String] {
        let asOf = (unsent ?? 0) == 0 ? met.map { ", as of \(Text.shortTime($0))" } ?? "" : ""
        var parts = behind == 0 && ahead == 0 ? ["has our last entry\(asOf)"] : []
        if let behind, behind > 0 {
            parts.append((ahead == nil ? "lacks at least " : "lacks ") + Text.anyChanges(behind))
        }
        if let ahead, ahead > 0 { parts.append("had \(Text.anyChanges(ahead)) not here yet") }
        if let unsent, unsent > 0 {
            parts.append("had \(Text.changes(unsent)) that it had not sent")
        }
        return parts
    }

    /// That this device never spoke with a member, and what of it is here all the same.
    static func neverMet(_ member: MemberProgress) -> String {
        (member.held ?? 0) > 0
            ? "never met; what is here of it came by file or through others" : "never met"
    }

    /// How a member stands, after its name.
    static func words(_ member: MemberProgress) -> String {
        var parts: [String] = []
        switch member.state {
        case "never_met": parts.append((member.isSeen ? "seen, and " : "") + neverMet(member))
        case "away":
            parts.append("not met since \(member.lastMet.map { Text.shortTime($0) } ?? "?")")
            if member.isSeen { parts.append("is seen and does not answer") }
        case "silent": parts.append("last answered \(member.silentSeconds ?? 0) s ago")
        case "unheard": parts.append("has not told yet what it has")
        case "digest_differs":
            parts.append("HAS ANOTHER STATE of the same entries: shared verify")
        default: break
        }
        if let behind = member.behind, behind > 0 {
            parts.append("lacks \(Text.anyChanges(behind))")
        }
        if let ahead = member.ahead, ahead > 0 {
            parts.append("has \(Text.anyChanges(ahead)) not here yet")
        }
        if let unsent = member.unsent, unsent > 0 {
            parts.append(has(unsent: unsent))
        }
        return parts.isEmpty ? "is catching up" : Text.list(parts)
    }
}
