/// What became of the batches in a bundle.
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
