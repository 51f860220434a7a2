extension NumberText {
    /// A number as people write it, as forms do: `38,5`, `1 234,5`, `1.234,5`, `1,234,567`; what is
    /// behind it stays. Nil where it is written so already, or may mean another one: `1,234`.
    package static func plain(_ text: String) -> String? {
        let isSpace = { (one: Character) in " \u{A0}\u{202F}'".contains(one) }
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
        let whole = parts[0].split(omittingEmptySubsequences: false) { isOther($0) || isSpace($0) }
        let decimals = parts.count > 1 ? parts[1] : ""
        let areDigits = (whole + [decimals]).allSatisfy { part in
            part.utf8.allSatisfy { (48...57).contains($0) }
        }
        let areThousands =
            (1...3).contains(whole[0].count) && whole.dropFirst().allSatisfy { $0.count == 3 }
        guard kinds.count <= (isDecimal ? 2 : 1), areDigits, whole.count == 1 || areThousands else {
            return nil
        }
        if isDecimal, decimals.isEmpty { return nil }
        // Thousands or decimals?
        if kinds == [","], isDecimal, decimals.count == 3, !["", "0"].contains(whole[0]) {
            return nil
        }
        let found = whole.joined() + (isDecimal ? "." + decimals : "")
        return sign + found == body ? nil : sign + found + suffix
    }
}
