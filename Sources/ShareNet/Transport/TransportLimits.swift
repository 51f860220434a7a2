/// The bounds and deadlines of a transport (docs/protocol.md, "Limits").
package struct TransportLimits: Sendable {
    /// How long a peer may take from TCP to the end of the TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// How many accepted connections may at one time be unproven: in the handshake, or past it
    /// and not yet admitted by the session above. One more closes the oldest of the address that
    /// has most of them.
    package var unproven = 64
    /// The same for one remote address. Loopback addresses are exempt: whoever is on the machine
    /// is not held off by this, and labs put hundreds of devices there.
    package var unprovenPerAddress = 8
    /// The same for one network: the first 64 bits of an IPv6 address, as one machine may have any
    /// number of addresses with these; an IPv4 address is a network of its own.
    package var unprovenPerNetwork = 32
    /// How many accepted connections there may be at one time, of any kind.
    package var connections = 512
    /// How many bytes of frames wait to be sent before `send` makes its caller wait.
    package var outgoing = 4 << 20
    /// The same until the connection is admitted.
    package var outgoingUnproven = 64 << 10
    /// How many bytes of received frames wait for the consumer before nothing more is read.
    package var incoming = 4 << 20
    /// The same until the connection is admitted.
    package var incomingUnproven = 64 << 10
    /// How long a peer may take nothing of what waits for it.
    package var stall: Duration = .seconds(60)
    /// How long a peer's machine may leave segments or probes unanswered.
    package var silence: Duration = .seconds(20)
    /// How long a connection is silent before the kernel probes it.
    package var probeAfter: Duration = .seconds(8)
    /// How long a connection that was closed here may take to send what was accepted before.
    package var linger: Duration = .seconds(2)
    /// How many names may be looked up at one time.
    package var lookups = 8

    package init() {}

    /// What a frame costs in a queue beside its body: an empty one is not free.
    static let frameCost = 64
}
