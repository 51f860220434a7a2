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
    /// The device that founded the room.
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
    /// New entries among the accepted ones, and decisions about members, forms and lists.
    package var newEntries: Int
    package var decisions: Int
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
        newEntries = 0
        decisions = 0
        waiting = 0
        refused = 0
        digestDiffers = false
        requests = []
    }
}

/// The fate of the batches in a bundle.
package struct BundleBatches: Codable, Hashable, Sendable {
    /// In the file, as far as it could be read.
    package var inFile: Int
    package var new: Int
    package var known: Int
    /// A batch before it is missing, or its author is not admitted as far as is known here.
    package var waiting: Int
    /// Records past the cutoff of a removed device that this device, an owner's, keeps: they count
    /// for nothing until an owner accepts them.
    package var kept: Int
    /// Past the cutoff of a removed device, and not kept.
    package var leftOut: Int
    /// Of another room.
    package var refused: Int
    /// No batches at all: changed or cut.
    package var damaged: Int

    package init(
        inFile: Int = 0, new: Int = 0, known: Int = 0, waiting: Int = 0, kept: Int = 0,
        leftOut: Int = 0, refused: Int = 0, damaged: Int = 0
    ) {
        self.inFile = inFile
        self.new = new
        self.known = known
        self.waiting = waiting
        self.kept = kept
        self.leftOut = leftOut
        self.refused = refused
        self.damaged = damaged
    }
}

/// A device that asks, in a bundle, to be admitted.
package struct BundleRequestAnswer: Codable, Hashable, Sendable {
    package var id: String
    /// The name that the device gives itself.
    package var name: String
    /// When it asked, by its own clock.
    package var asked: String
    /// The role that it has in the room already; nil for none.
    package var role: String?
    /// The role that it had before it was admitted just now; nil for none, and where nobody was
    /// admitted.
    package var before: String?

    package init(id: String, name: String, asked: String, role: String?) {
        self.id = id
        self.name = name
        self.asked = asked
        self.role = role
    }
}
