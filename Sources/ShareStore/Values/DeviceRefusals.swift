package import ShareCore

/// What is held of a device's logs and does not count for where it stands there: beyond a
/// removal or a change of role, before a grant, or in a log of too many branches.
package struct DeviceRefusals: Hashable, Sendable {
    /// Operations, by log.
    package var control = 0
    package var records = 0
    /// The last batches that are refused so, with which all before them would count if an owner
    /// accepted them; at most as many of each log as one operation can name, the others another
    /// time.
    package var heads = CoveredHeads(control: [], records: [])
    /// The form definitions that the batches of records use.
    package var definitions: Set<OperationName> = []

    package var isEmpty: Bool { heads.control.isEmpty && heads.records.isEmpty }
}
