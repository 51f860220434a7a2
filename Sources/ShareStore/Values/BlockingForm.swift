package import ShareCore
package import ShareCrypto

/// A form definition that is held and does not count, and entries that wait for it.
package struct BlockingForm: Hashable, Sendable {
    package let definition: OperationName
    /// Nil where the definition named is none.
    package let formID: String?
    /// Who added it.
    package let author: DeviceKey?
    /// Operations that wait for it.
    package let entries: Int
}
