/// Batches of this device's own that it has to take back before it seals more.
package struct OwnLogRecovery: Codable, Hashable, Sendable {
    /// Who holds them.
    package var peer: NamedDevice
    /// How many are still to come.
    package var batches: Int
    /// For how long sealing has been held.
    package var seconds: Int

    package init(peer: NamedDevice, batches: Int, seconds: Int) {
        self.peer = peer
        self.batches = batches
        self.seconds = seconds
    }
}
