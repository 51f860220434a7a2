internal import JSON
internal import ShareControl

/// Small pieces of English.
enum Text {
    /// `1 entry`, `2 entries`.
    static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(number(count)) \(count == 1 ? one : many)"
    }

    static func entries(_ count: Int) -> String { Text.count(count, "entry", "entries") }

    /// What was done to entries, where it is not known how many of them are new: an entry is one,
    /// and so is each of its rows and each change of it.
    static func changes(_ count: Int) -> String {
        Text.count(count, "entry or change", "entries or changes")
    }

    /// Operations of any kind: entries, their rows and changes of them, and what is new of the room,
    /// such as forms, lists and roles.
    static func anyChanges(_ count: Int) -> String {
        Text.count(count, "entry or other change", "entries or other changes")
    }

    /// That nobody else has entries which go out by themselves.
    static func alone(_ count: Int, new: Int) -> String {
        "\(unsent(count, new: new)) on this device alone; "
            + (count == 1 ? "it goes" : "they go") + " out when another is near"
    }

    /// What becomes of entries that this device's role does not allow; nil where there are none.
    ///
    /// - Parameters:
    ///   - new: how many of these are entries; nil where that is not known.
    ///   - isRemoved: whether it has no role any more.
    static func withheld(_ count: Int, new: Int? = nil, isRemoved: Bool = false) -> String? {
        guard count > 0 else { return nil }
        let them = count == 1 ? "it" : "them"
        let what = new.map { unsent(count, new: $0) } ?? changes(count)
        return "\(what) \(count == 1 ? "is" : "are") kept on this device and not sent: "
            + (isRemoved
                ? "once it has joined again, shared push sends \(them)"
                : "its role, or what it is assigned, does not allow \(them); ask an owner")
    }

    /// Says of entries that this device's role does not allow that no figure has them.
    static func notCounted(_ withheld: Int) -> String {
        "\(withheld == 1 ? "1 entry is" : "\(number(withheld)) entries are") on this device alone, "
            + "as its role does not allow \(withheld == 1 ? "it" : "them"), and not counted here"
    }

    /// A whole number with commas between thousands.
    static func number(_ number: Int) -> String {
        let digits = number.magnitude.description
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ items: [String], _ word: String = "and") -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " \(word) " + last
    }

    /// The first ten of these, and how many more there are.
    static func firstOf(_ items: [String]) -> String {
        let more = items.count - 10
        return list(items.prefix(10) + (more > 0 ? ["\(more) more"] : []))
    }

    /// The short form of a device's or room's id: 8 characters after the prefix.
    static func short(_ id: String) -> String {
        let part = id.split(separator: ":", maxSplits: 1).last ?? ""
        return String(part.prefix(8))
    }

    /// As much of a device's id as people compare, in groups of four.
    static func grouped(_ id: String) -> String {
        let part = (id.split(separator: ":", maxSplits: 1).last ?? "").prefix(16)
        return stride(from: 0, to: part.count, by: 4).map { start in
            String(part.dropFirst(start).prefix(4))
        }.joined(separator: " ")
    }

    /// The short form of a record's id: its last 8 characters.
    static func shortRecord(_ id: String) -> String { String(id.suffix(8)) }

    /// An entry as people call it: `household KOR-200 (229a6617)`, without a key
    /// `household 229a6617`.
    static func entry(_ form: String, _ key: String?, _ id: String) -> String {
        let form = Terminal.plain(form)
        let id = Terminal.plain(shortRecord(id))
        return key.map { "\(form) \(Terminal.plain($0)) (\(id))" } ?? "\(form) \(id)"
    }

    /// A value's change, in one line: `37.3 -> 39.1`.
    static func change(_ change: ShownChange) -> String {
        func value(_ text: String) -> String {
            text.isEmpty ? "(nothing)" : Terminal.plain(text)
        }
        return "\(value(change.before)) -> \(value(change.after))"
    }

    /// A name for people, or the short id where there is none.
    static func name(_ name: String?, _ id: String) -> String {
        if let name, !name.isEmpty { return Terminal.plain(name) }
        return short(id)
    }

    /// Devices by their names and short ids, the first ten, and how many more.
    static func names(_ devices: [NamedDevice]) -> String {
        firstOf(devices.map { device($0.name, $0.id) })
    }

    /// A device by its name and short id, as names may be alike; by the id alone where no name is
    /// known.
    static func device(_ name: String?, _ id: String) -> String {
        let short = Terminal.plain(short(id))
        let known = Text.name(name, id)
        return known == short ? short : "\(known) (\(short))"
    }

    static func device(_ device: NamedDevice) -> String { Text.device(device.name, device.id) }

    /// A device's name for a table that has a column of ids: nothing where none is known.
    static func nameBesideID(_ name: String, _ id: String) -> String {
        name == short(id) ? "-" : name
    }

    /// A moment in the time zone of this machine, to the minute: `2026-11-22 06:00`.
    static func time(_ moment: String) -> String {
        let seconds = moment.split(separator: ".").first.map {
            $0.hasSuffix("Z") ? String($0) : $0 + "Z"
        }
        guard let milliseconds = seconds.flatMap(TimestampText.milliseconds) else {
            return Terminal.plain(moment)
        }
        return TimestampText.text(milliseconds)
    }

    /// The time of day in the time zone of this machine, to the second: `15:20:14`.
    static func clock(_ moment: String) -> String {
        let seconds = moment.split(separator: ".").first.map {
            $0.hasSuffix("Z") ? String($0) : $0 + "Z"
        }
        guard let seconds, let milliseconds = TimestampText.milliseconds(seconds) else {
            return Terminal.plain(moment)
        }
        return clock(milliseconds)
    }

    static func clock(_ milliseconds: Int) -> String {
        let seconds = milliseconds / 1_000 % 60
        return TimestampText.text(milliseconds).suffix(5) + (seconds < 10 ? ":0" : ":")
            + "\(seconds)"
    }

    /// A moment as short as it can be told apart: `15:20` today, `11-22 15:20` this year, else
    /// `2025-11-22`.
    static func shortTime(_ moment: String) -> String {
        let text = time(moment)
        let now = TimestampText.text(TimestampText.now())
        if text.prefix(10) == now.prefix(10) { return String(text.dropFirst(11)) }
        return text.prefix(4) == now.prefix(4) ? String(text.dropFirst(5)) : String(text.prefix(10))
    }

    /// Several short statements in one line.
    static func line(_ parts: [String]) -> String {
        parts.joined(separator: Terminal.isUTF8 ? " \u{B7} " : "; ")
    }

    /// Operations on entries, some of them new: `9 entries and 6 changes`.
    static func entries(_ new: Int, changes: Int) -> String {
        list(
            (new > 0 || changes == 0 ? [entries(new)] : [])
                + (changes > 0 ? [count(changes, "change", "changes")] : []))
    }

    /// Operations made here and not sent, of which so many at most are new entries.
    static func unsent(_ count: Int, new: Int) -> String {
        entries(min(new, count), changes: max(count - new, 0))
    }

    /// Entries that a condition misses: `8 entries have members of an earlier version:
    /// members__integer=4`.
    static func earlier(_ match: EarlierMatch) -> String { earlier(match, match.condition) }

    /// The same where values are counted: `53 entries have age of an earlier version: age__integer`.
    static func earlierField(_ match: EarlierMatch) -> String {
        earlier(
            match,
            match.condition.hasSuffix("!=")
                ? String(match.condition.dropLast(2)) : match.condition)
    }

    /// What finds entries where nothing is written exactly as a condition wants it.
    static func alike(_ match: AlikeMatch) -> String {
        let bare = match.condition.filter { $0 != "~" }
        let isPlain = Shell.quoted(bare) == bare
        return "= finds what is written exactly so; as a part, in small or capital letters, "
            + (match.entries == 1
                ? "1 entry has it: " : "\(number(match.entries)) entries have it: ")
            + (isPlain ? match.condition : Shell.quoted(match.condition))
    }

    private static func earlier(_ match: EarlierMatch, _ condition: String) -> String {
        let verb = match.entries == 1 ? "has" : "have"
        let bare = condition.filter { !"=~".contains($0) }
        let isPlain = Shell.quoted(bare) == bare
        return "\(entries(match.entries)) \(verb) \(match.field) of an earlier version: "
            + (isPlain ? condition : Shell.quoted(condition))
    }

    /// Who has heard of a decision, and who has not, in lines of their own.
    static func hearing(_ heard: [NamedDevice], _ notHeard: [NamedDevice]) -> [String] {
        var lines: [String] = []
        if !heard.isEmpty {
            lines.append("\(names(heard)) \(heard.count == 1 ? "knows" : "know")")
        }
        if !notHeard.isEmpty {
            let who = notHeard.count == 1 ? "it meets" : "they meet"
            lines.append(
                "not yet \(names(notHeard)): told when \(who) one of you")
        }
        return lines
    }

    /// That this device was removed from a room, and what that means.
    static func removal(
        _ removal: RemovalAnswer, hasLeft: Bool
    ) -> [String] {
        let how = hasLeft ? "left" : "REMOVED by \(device(removal.by))"
        let reason = removal.reason.isEmpty ? "" : ": \(Terminal.plain(removal.reason))"
        return [
            "\(how), \(time(removal.at))\(hasLeft ? "" : reason)",
            "What is here stays. To come back ask for a code, then: `shared join CODE`.",
        ]
    }

    /// A length of time, rounded to its largest unit: `45 s`, `10 min`, `3 h`, `2 d`.
    static func duration(_ seconds: Int) -> String {
        func rounded(_ unit: Int) -> Int { (seconds + unit / 2) / unit }
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<(3_600 - 30): "\(rounded(60)) min"
        case ..<(172_800 - 1_800): "\(rounded(3_600)) h"
        default: "\(rounded(86_400)) d"
        }
    }

    /// A value of a record for people.
    static func value(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: ""
        case .bool(let bool): bool ? "yes" : "no"
        case .integer(let integer): integer.description
        case .double(let double):
            double.description.hasSuffix(".0")
                ? String(double.description.dropLast(2)) : double.description
        case .string(let string): string
        case .array(let values): values.map { Text.value($0) }.joined(separator: ",")
        case .object: String(decoding: value?.text ?? [], as: UTF8.self)
        }
    }

    /// That a device has all that is here, as far as it was sent.
    static func upToDate(pending: Int) -> String {
        pending > 0 ? "has all that was sent" : "up to date"
    }

    /// How far a peer and this device are apart.
    ///
    /// - Parameter pending: entries and changes here that are not sent.
    static func progress(identical: Bool, behind: Int, ahead: Int, pending: Int = 0) -> String {
        if identical { return upToDate(pending: pending) }
        var parts: [String] = []
        if behind > 0 { parts.append("lacks \(anyChanges(behind))") }
        if ahead > 0 { parts.append("has \(anyChanges(ahead)) not here yet") }
        return parts.isEmpty ? "not compared yet" : parts.joined(separator: ", ")
    }
}
