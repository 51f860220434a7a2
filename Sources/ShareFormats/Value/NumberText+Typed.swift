extension NumberText {
    /// A number as people write it, as forms do: `38,5`, `1 234,5`, `1.234,5`, `1,234,567`; what is
    /// behind it stays. Nil where it is written so already, or may mean another one: `1,234`.
    package static func plain(_ text: String) -> String? {
        let isSpace = { (one: Character) in spaces.contains(one) }
        let isOther = { (one: Character) in one == "." || one == "," }
        var body = text.prefix { $0.isWholeNumber || isSpace($0) || isOther($0) || $0 == "-" }
        while let last = body.last, isSpace(last) { body.removeLast() }
        let suffix = text[body.endIndex...]
        let sign = body.first == "-" ? "-" : ""
        let marks = body.filter { isOther($0) || isSpace($0) }
        guard let last = marks.last else { return nil }
        let kinds = Set(marks)
        // Of two kinds the last is the decimal sign; one that stands twice separates thousands.
        let isDecimal = !isSpace(last) && marks.count { $0 == last } == 1
        let parts = body.dropFirst(sign.count).split(
            separator: isDecimal ? last : "\0", omittingEmptySubsequences: false)
        let decimals = parts.count > 1 ? parts[1] : ""
        guard let whole = whole(parts[0]), decimals.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        if isDecimal, decimals.isEmpty { return nil }
        // Thousands or decimals?
        if kinds == [","], isDecimal, decimals.count == 3, !["", "0"].contains(whole) {
            return nil
        }
        let found = whole + (isDecimal ? "." + decimals : "")
        return sign + found == body ? nil : sign + found + suffix
    }

    /// What separates thousands as a space does.
    static let spaces = " \u{A0}\u{202F}'"

    /// The digits before the decimal sign without what separates thousands: one sign, and three digits
    /// behind each. Nil where it may mean something else: `10 20`, `1 2`, `1.234 567`.
    static func whole(_ text: Substring) -> String? {
        let isMark = { (one: Character) in spaces.contains(one) || one == "." || one == "," }
        let groups = text.split(omittingEmptySubsequences: false, whereSeparator: isMark)
        guard Set(text.filter(isMark)).count <= 1,
            groups.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            groups.count == 1
                || (1...3).contains(groups[0].count)
                    && groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return groups.joined()
    }
}
