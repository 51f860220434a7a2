/// One side of one run of CPace, CPACE-RISTR255-SHA512 in the initiator–responder form
/// (draft-irtf-cfrg-cpace; docs/protocol/joining.md §3).
///
/// Two sides that put in the same password, channel and session get the same key; nobody else
/// learns anything about the password but by taking part, one guess for each run.
package struct CPace: Sendable {
    /// What to send to the other side.
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
