extension String {
    /// The text, cut at a character of Unicode where it has more bytes of UTF-8 than these, and then
    /// with three points behind them.
    package func shortened(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, bytes))
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
        return self[..<end] + "..."
    }
}
