/// Keeps spreadsheets from running a text as a formula: such a text gets a `'` in front on the
/// way out, and loses exactly one on the way in, so a round trip changes nothing (docs/forms.md).
package enum FormulaGuard {
    /// Whether a text cell needs the `'`: after any `'` and spaces in front it starts with
    /// `=`, `+`, `-`, `@`, a tab or CR. A text that already has a `'` there needs one more,
    /// or the way in would take away its own.
    package static func concerns(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first, first <= UInt8(ascii: "@") else { return false }
        var rest = text[...]
        rest = rest.drop { $0 == UInt8(ascii: "'") }
        rest = rest.drop { $0 == 0x20 || $0 == 0x0a }
        switch rest.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09,
            0x0d:
            return true
        default: return false
        }
    }

    /// The cell without the one `'` that the way out put there.
    package static func taken(
        from cell: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        guard cell.first == UInt8(ascii: "'"), concerns(cell) else { return cell }
        return UnsafeBufferPointer(rebasing: cell.dropFirst())
    }
}
