internal import ShareControl

/// What is said of a form that people have changed at once.
enum ParallelFormText {
    /// So many that are not in force are named.
    private static let named = 4

    /// `household: two versions 4 were made at once, by coord (2026-11-26 15:20) and by amina
    /// (2026-11-26 15:31): amina's is in force. To ask what both ask, add a version 5 made of both:
    /// shared form show household --by coord shows the other, with --json as a file`.
    static func line(_ form: ParallelForm) -> String {
        let others = Array(form.others.prefix(named))
        let all = others + [form.inForce]
        let names = all.map { name($0.by, among: all.map(\.by)) }
        let isOneVersion = Set((form.others + [form.inForce]).map(\.version)).count == 1
        var made = zip(all, names).map { one, name in
            (isOneVersion ? "" : "version \(Terminal.plain(one.version)) ")
                + "by \(name) (\(Text.time(one.at)))"
        }
        let more = form.others.count - others.count
        if more > 0 { made.insert("\(more) more", at: others.count) }
        let count = form.others.count + 1
        let what =
            isOneVersion
            ? "\(count == 2 ? "two" : Text.number(count)) versions"
                + " \(Terminal.plain(form.inForce.version)) were made at once, "
            : ""
        return "\(Terminal.plain(form.form)): \(what)\(Text.list(made))"
            + (isOneVersion ? "" : " were made at once")
            + ": \(inForce(names, all.map(\.by))). \(hint(form, names))"
    }

    /// Whose version is in force: that of the last of these devices.
    static func inForce(_ names: [String], _ makers: [NamedDevice]) -> String {
        // One device may have made several, where its data was copied.
        let isAlone = makers.count { $0.id == makers.last?.id } == 1
        return (isAlone ? "\(names.last ?? "")'s" : "that named last") + " is in force"
    }

    private static func hint(_ form: ParallelForm, _ names: [String]) -> String {
        let isPair = form.others.count == 1
        let version = next(after: form).map { "a version \($0)" } ?? "a new version"
        let by = isPair ? argument(form.others[0].by, called: names[0]) : "DEVICE"
        return "To ask what \(isPair ? "both" : "all") ask, add \(version) made of"
            + " \(isPair ? "both" : "all"): shared form show"
            + " \(Shell.quoted(Terminal.plain(form.form))) --by \(by)"
            + " shows \(isPair ? "the other" : "each"), with --json as a file"
    }

    /// The number behind all of them, where they are whole numbers.
    private static func next(after form: ParallelForm) -> Int64? {
        let versions = (form.others + [form.inForce]).map(\.version)
        let numbers = versions.compactMap { text in
            Int64(text).flatMap { "\($0)" == text ? $0 : nil }
        }
        guard numbers.count == versions.count, let last = numbers.max(), last < .max else {
            return nil
        }
        return last + 1
    }

    /// A device's name, with its id where another of these has the same name.
    static func name(_ device: NamedDevice, among all: [NamedDevice]) -> String {
        let isAlone = all.allSatisfy { $0.id == device.id || $0.name != device.name }
        return isAlone ? Text.name(device.name, device.id) : Text.device(device)
    }

    /// A device as an argument: a name is one word, and one device's alone.
    static func argument(_ device: NamedDevice, called name: String) -> String {
        let text = name == Text.device(device) ? Text.short(device.id) : device.name
        return Shell.quoted(Terminal.plain(text))
    }
}
