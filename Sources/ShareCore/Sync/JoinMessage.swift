package import ShareCrypto

/// A message of the exchange by which a device joins, in the order in which they are sent
/// (docs/protocol/joining.md §5).
package enum JoinMessage: Hashable, Sendable {
    /// Joiner to inviter: which invite, and Ya.
    case start(JoinSelector, CPaceShare)
    /// Inviter to joiner: Yb.
    case reply(CPaceShare)
    /// Joiner to inviter: Ta.
    case proof(CPaceTag)
    /// Inviter to joiner: Tb, and a sealed `JoinWelcome`.
    case welcome(CPaceTag, sealed: [UInt8])
    /// Joiner to inviter: a sealed `JoinAcceptance`.
    case accept(sealed: [UInt8])
    /// To a device that may be in an open room: which one, by its name or its short id.
    case ask(String)
    /// Answer to `ask`: the room, and whether the sender may admit.
    case offer(OpenOffer)
    /// To who has offered an open room: which, and an encoded `JoinAcceptance`.
    case enter(RoomID, acceptance: [UInt8])
    /// Either way: the end.
    case refused(JoinRefusal)
}
