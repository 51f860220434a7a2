package import ShareCrypto

/// The code of a room's recovery key, for a sheet of paper (docs/protocol/authority.md §1): 128 random
/// bits as 26 characters of Crockford's base 32, and one that shows a slip of the pen.
///
/// A value that is shown once. Nothing stores it or writes it to a log.
package struct RecoveryCode: Sendable {
    private let secret: [UInt8]

    /// Characters, those for checking included, hyphens left out.
    package static let length = 27
    private static let digits = 26

    /// A new one from the system's random source.
    package static func generate() -> RecoveryCode {
        RecoveryCode(secret: SecureRandom.bytes(DeviceIdentity.recoverySecretLength))
    }

    package init(secret: [UInt8]) {
        precondition(secret.count == DeviceIdentity.recoverySecretLength, "a secret has 16 bytes")
        self.secret = secret
    }

    /// Reads a code as people type it: in either case, with or without hyphens and spaces, O for
    /// 0, I and L for 1.
    ///
    /// - Throws: `RecoveryCodeError`, which says what is wrong with it.
    package init(typed: String) throws(RecoveryCodeError) {
        var values: [UInt8] = []
        for character in typed where !character.isWhitespace && character != "-" {
            guard let ascii = character.asciiValue,
                let digit = CrockfordDigits.digit(for: ascii),
                let value = CrockfordDigits.all.firstIndex(of: digit)
            else { throw .character(character) }
            values.append(UInt8(value))
        }
        guard values.count == RecoveryCode.length else { throw .length(values.count) }
        let body = Array(values.dropLast())
        // 26 characters hold two bits more than a secret has.
        guard values.last == RecoveryCode.check(of: body), body[body.count - 1] & 0b11 == 0 else {
            throw .mistyped
        }
        var secret: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for value in body {
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                secret.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        self.secret = secret
    }

    /// How the code is shown, in groups of four characters. For the screen of whoever made the room
    /// alone.
    package var text: String {
        var values: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in secret + [0] {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5, values.count < RecoveryCode.digits {
                bits -= 5
                values.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)) & 31)
            }
        }
        values.append(RecoveryCode.check(of: values))
        let characters = values.map { CrockfordDigits.all[Int($0)] }
        return stride(from: 0, to: characters.count, by: 4).map {
            String(decoding: characters[$0..<min($0 + 4, characters.count)], as: UTF8.self)
        }
        .joined(separator: "-")
    }

    /// The key pair of the room with that nonce.
    package func identity(nonce: [UInt8]) -> DeviceIdentity {
        guard let identity = DeviceIdentity(recoverySecret: secret, nonce: nonce) else {
            preconditionFailure("a secret has 16 bytes")
        }
        return identity
    }

    /// The sum of all digits, each multiplied with another power of x in the field of 32 elements
    /// (modulo x⁵ + x² + 1): no single wrong character passes, nor two that are swapped.
    private static func check(of values: [UInt8]) -> UInt8 {
        var sum: UInt8 = 0
        for value in values {
            sum = double(sum ^ value)
        }
        return sum
    }

    private static func double(_ value: UInt8) -> UInt8 {
        let shifted = value << 1
        return shifted & 0b10_0000 == 0 ? shifted : shifted ^ 0b10_0101
    }
}

/// The mistakes in a recovery code as it was typed.
package enum RecoveryCodeError: Error, Hashable, Sendable {
    /// The number of characters that it has, hyphens and spaces left out; it must be 27.
    case length(Int)
    /// A character that no code contains.
    case character(Character)
    /// A character is wrong, or two are swapped.
    case mistyped
}
