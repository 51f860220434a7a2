package import ShareStore

/// A room of this device whose file could not be opened; the others go on without it.
package struct DamagedRoom: Sendable {
    package let entry: NodeRoom
    /// Why it could not be opened.
    package let why: any Error
}
