/// Which side of a connection a device is on.
package enum TLSSide: Sendable {
    /// It dialled.
    case client
    /// It was dialled.
    case server
}
