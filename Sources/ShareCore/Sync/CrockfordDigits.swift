/// The digits of Crockford's base 32: no I, L, O or U, so that a code survives being read aloud.
enum CrockfordDigits {
    static let all = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The digit that a typed character stands for; nil if for none.
    static func digit(for typed: UInt8) -> UInt8? {
        let upper = typed >= UInt8(ascii: "a") && typed <= UInt8(ascii: "z") ? typed - 32 : typed
        switch upper {
        case UInt8(ascii: "O"): return UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return UInt8(ascii: "1")
        default: return all.contains(upper) ? upper : nil
        }
    }
}
