internal import CSodium

/// One side of one run of CPace, CPACE-RISTR255-SHA512 in the initiator–responder form
/// (draft-irtf-cfrg-cpace; docs/protocol/joining.md §3).
///
/// Two sides that put in the same password, channel and session get the same key; nobody else
/// learns anything about the password but by taking part, one guess for each run.
package struct CPace: Sendable {
    /// The share to be sent to the other side.
    package let share: CPaceShare

    private let role: CPaceRole
    private let session: [UInt8]
    private let associated: [UInt8]
    private let scalar: CPaceScalar

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - password: The draft's PRS.
    ///   - channel: The draft's CI, which both sides must state alike.
    ///   - session: The draft's sid.
    ///   - associated: The draft's ADa or ADb of this side.
    /// - Throws: `invalidElement` if the scalar is zero.
    package init(
        role: CPaceRole, password: [UInt8], channel: [UInt8], session: [UInt8],
        associated: [UInt8], scalar: CPaceScalar
    ) throws(CPaceError) {
        self.role = role
        self.session = session
        self.associated = associated
        self.scalar = scalar
        let generator = CPace.generator(password: password, channel: channel, session: session)
        share = try Ristretto.withProduct(scalar, generator) { product in
            CPaceShare(product.withUnsafeBytes { Bytes32($0) })
        }
    }

    /// The key that the other side's share leads to. That the other side has it too is known
    /// only after its tag.
    ///
    /// - Throws: `invalidElement` for a share that must be refused.
    package func key(
        with peer: CPaceShare, associated peerAssociated: [UInt8]
    ) throws(CPaceError) -> CPaceKey {
        let own = CPace.lvCat(share.bytes, associated)
        let theirs = CPace.lvCat(peer.bytes, peerAssociated)
        let (first, second) = role == .initiator ? (own, theirs) : (theirs, own)
        return try Ristretto.withProduct(scalar, peer.value) { product in
            var input = CPace.lvCat(CPace.keySeparation, session, product)
            input += first
            input += second
            defer { input.wipe() }
            var key = SHA512.digest(input)
            return CPaceKey(&key, session: session, initiator: first, responder: second)
        }
    }
}

/// The two sides of CPace in its initiator–responder form.
package enum CPaceRole: Hashable, Sendable, CaseIterable {
    /// Party A, whose share is sent first.
    case initiator
    /// Party B.
    case responder
}

/// The share that one side of CPace sends in the open: the draft's Ya or Yb. An invalid element is
/// found out when a key is made with it.
package struct CPaceShare: Hashable, Sendable {
    package let value: Bytes32

    package init(_ value: Bytes32) { self.value = value }

    /// The share in exactly 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes32(bytes) else { return nil }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }
}

/// The secret number of one side of one run of CPace; wiped with its last owner. Using one for
/// two runs would let their keys be compared, so it is made afresh for each.
package struct CPaceScalar: Sendable {
    let secret: SecretBytes

    package static let length = 32

    /// A fresh scalar, uniform in the order of the group and not zero.
    package static func random() -> CPaceScalar {
        _ = Sodium.ready
        var bytes = [UInt8](repeating: 0, count: length)
        crypto_core_ristretto255_scalar_random(&bytes)
        return CPaceScalar(secret: SecretBytes(&bytes))
    }

    private init(secret: SecretBytes) { self.secret = secret }

    /// A given scalar, little-endian, for published vectors and fixtures; nil unless it is 32
    /// bytes. The bytes are wiped.
    package init?(taking bytes: inout [UInt8]) {
        guard bytes.count == CPaceScalar.length else { return nil }
        secret = SecretBytes(&bytes)
    }
}

/// One side's proof that it has the key: the draft's Ta or Tb. Ask `CPaceKey.isValid` about it;
/// `==` is for values that are no secret any more.
package struct CPaceTag: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let length = 64

    /// The tag in exactly 64 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == CPaceTag.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// The output of the authenticator, whose length is this one.
    init(authenticator: [UInt8]) {
        precondition(authenticator.count == CPaceTag.length)
        bytes = authenticator
    }
}

/// Why a run of CPace ends without a key.
package enum CPaceError: Error, Hashable, Sendable {
    /// The peer's share is no encoding of a group element, or leads to the neutral element: the
    /// peer does not follow the protocol.
    case invalidElement
}

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
