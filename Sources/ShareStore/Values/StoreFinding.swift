package import ShareCore
package import ShareCrypto

/// Something that `verify` found to be other than it should.
package struct StoreFinding: Hashable, Sendable {
    /// A batch by the log that it is in.
    package struct Place: Hashable, Sendable {
        /// Nil where the file does not tell.
        package let author: DeviceKey?
        package let kind: LogKind
        package let number: UInt64
    }

    /// Where in the file, by the names that its tables have.
    package let place: String
    /// A sentence for people, without such names; of a batch what is said of it.
    package let what: String
    package let hint: String
    /// The batch that it is about, which `what` does not name.
    package var batch: Place?
    /// Whether it is no cause: a table, an index or a note that is not what the batches come to.
    package var follows = false
    /// How many findings it stands for.
    package var count = 1
}
