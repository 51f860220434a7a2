package import ShareCrypto

/// The content of one frame between two devices (docs/protocol.md, "Messages").
package enum WireMessage: Sendable {
    case hello(Hello)
    /// The first message of a device that speaks another version; of it nothing else is read.
    case otherHello(version: UInt64)
    /// How far every log of a room goes that the receiver may hold, and how many operations the
    /// sender has made and not sealed; with no log that number alone.
    case have(RoomID, [LogName: LogState], pending: UInt64 = 0)
    /// A log goes further than was said before.
    case announce(RoomID, LogName, LogHead, operations: UInt64)
    /// Asks for what comes after `after` in a log; heads first, then perhaps some ancestors.
    case want(RoomID, LogName, after: [LogHead])
    /// A batch, asked for or new. The envelope and the signature have been checked.
    case batch(Batch)
    /// Everything that was wanted of a log has been sent; or, if `isLost`, none of the places
    /// named is known here.
    case end(RoomID, LogName, isLost: Bool)
    case acknowledge(RoomID, [Acknowledgement])
    /// The summary of the sender's copy of a room.
    case state(RoomID, RoomSummary)
    /// Addresses under which the sender met members.
    case addresses(RoomID, [DeviceKey: [String]])
    /// The release of the program that the sender runs, and the names that members give
    /// themselves, as far as it has heard.
    case names(RoomID, release: String, [DeviceKey: String])
    /// Proofs as in the hello, when the sender has come to know another room.
    case proofs([Digest])
    case ping
    case pong
    /// A message of a join (docs/protocol.md, "Joining").
    case join(JoinMessage)

    /// The first message of each side.
    package struct Hello: Hashable, Sendable {
        package let version: UInt64
        package let name: String
        /// The sender's wall clock in milliseconds since 1970, for display.
        package let wall: UInt64
        /// Random for each start of the sender's process.
        package let instance: UInt64
        package let proofs: [Digest]

        package init(
            version: UInt64, name: String, wall: UInt64, instance: UInt64, proofs: [Digest]
        ) {
            self.version = version
            self.name = name
            self.wall = wall
            self.instance = instance
            self.proofs = proofs
        }
    }
}

/// Why a frame ends the session that it came over.
package enum WireError: Error, Hashable, Sendable {
    case cbor(CBORError)
    /// The message is not one of this protocol.
    case unknownMessage(UInt64)
    case batch(EnvelopeError)
}
