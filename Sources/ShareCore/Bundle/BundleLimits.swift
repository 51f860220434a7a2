/// The bounds of a bundle (docs/protocol/bundle.md, "Limits").
package enum BundleLimits {
    /// The first bytes of the file: `head -1` shows what it is.
    package static let magic = Array("shared bundle 1\n".utf8)
    /// The media type of a bundle.
    package static let mediaType = "application/vnd.shared.bundle"
    /// Bytes of one item without its length.
    package static let item = 2 << 20
    /// Bytes of the name of a device, as in `hello`.
    package static let deviceName = 63
    /// Requests to join that a reader looks at in one file.
    package static let requests = 16
    /// Batches that are none, after which a reader gives up.
    package static let damaged = 1_000
    /// Characters of a device's id that an owner must have compared before admitting it.
    package static let comparedCharacters = 16
}
