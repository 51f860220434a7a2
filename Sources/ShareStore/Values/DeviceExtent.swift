package import ShareCore

/// How far a device's logs go, up to a moment or in all.
package struct DeviceExtent: Hashable, Sendable {
    /// The ends of what lies before the moment; at most as many of each log as one operation can
    /// name.
    package var heads = CoveredHeads(control: [], records: [])
    /// Operations on records up to these heads, but such as are refused.
    package var operations = 0
    /// Operations on records that are held past the heads.
    package var pastHeads = 0
    /// When, by the device's own clock, the last batch of records up to the heads was sealed.
    package var last: Timestamp?
}
