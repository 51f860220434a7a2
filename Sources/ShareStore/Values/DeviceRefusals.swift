package import ShareCore

/// The operations on records that are held of a device and refused for where they stand in its
/// log: past the cutoff, under a lower role, before a grant, or in a log of too many branches.
package struct DeviceRefusals: Hashable, Sendable {
    package var operations = 0
    /// The last batches that are refused so, with which all before them would count if an owner
    /// accepted them; at most as many as one operation can name, the others another time.
    package var heads: [LogHead] = []
    /// The form definitions that these batches use.
    package var definitions: Set<OperationName> = []

    package var isEmpty: Bool { heads.isEmpty }
}
