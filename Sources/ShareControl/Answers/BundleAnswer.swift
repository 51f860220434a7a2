/// The answer to `bundle read`.
package struct BundleAnswer: Codable, Hashable, Sendable {
    /// Nil for a file that holds requests alone.
    package var room: NamedRoom?
    /// The device that wrote the file; its name is what is known of it here.
    package var writer: NamedDevice?
    /// Whether this device has become a member of the room by it.
    package var joined: Bool
    /// This device's role in the room now.
    package var role: String?
    /// Who founded the room.
    package var founder: NamedDevice?
    /// Whether all of the file was read, and it is as it was written.
    package var complete: Bool
    /// Why it is not complete, and where it broke off.
    package var broken: String?
    package var batches: BundleBatches
    /// Removed devices with batches in the file that lie past their cutoff.
    package var removed: [NamedDevice]
    /// Operations of the new batches, by verdict.
    package var accepted: Int
    package var waiting: Int
    package var refused: Int
    /// Whether this device holds now all that counts of what the writer held; nil where the file
    /// does not say.
    package var identical: Bool?
    /// Whether both hold the same and have come to different states.
    package var digestDiffers: Bool
    package var requests: [BundleRequestAnswer]
    /// The device that was admitted.
    package var admitted: BundleRequestAnswer?

    package init() {
        joined = false
        complete = false
        batches = BundleBatches()
        removed = []
        accepted = 0
        waiting = 0
        refused = 0
        digestDiffers = false
        requests = []
    }
}
