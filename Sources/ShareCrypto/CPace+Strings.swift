extension CPace {
    /// The draft's G.DSI.
    static let domainSeparation = Array("CPaceRistretto255".utf8)
    static let keySeparation = domainSeparation + Array("_ISK".utf8)

    /// The draft's lv_cat: each part after its length in LEB128.
    package static func lvCat(_ parts: [UInt8]...) -> [UInt8] {
        var output: [UInt8] = []
        // Room for all of it, so that growing leaves no copies of a secret behind.
        output.reserveCapacity(parts.reduce(0) { $0 + $1.count + 10 })
        for part in parts {
            var length = part.count
            while length > 0x7f {
                output.append(UInt8(truncatingIfNeeded: length) | 0x80)
                length >>= 7
            }
            output.append(UInt8(length))
            output += part
        }
        return output
    }

    /// The draft's generator_string: zeros fill the hash's first block after the password.
    static func generatorString(
        password: [UInt8], channel: [UInt8], session: [UInt8]
    ) -> [UInt8] {
        var before = lvCat(password)
        defer { before.wipe() }
        let used = before.count + lvCat(domainSeparation).count
        let padding = [UInt8](repeating: 0, count: max(0, SHA512.blockLength - 1 - used))
        return lvCat(domainSeparation, password, padding, channel, session)
    }

    /// The draft's calculate_generator.
    static func generator(password: [UInt8], channel: [UInt8], session: [UInt8]) -> Bytes32 {
        var string = generatorString(password: password, channel: channel, session: session)
        defer { string.wipe() }
        var hash = SHA512.digest(string)
        defer { hash.wipe() }
        return Ristretto.element(fromHash: hash)
    }
}
