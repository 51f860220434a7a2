/// What the file says of operations of a control batch that have no effect, or none yet, and
/// come to the same.
struct ControlNote: Hashable {
    /// From the first one to behind the last one.
    var places: Range<Int>
    /// How many they are: operations of other blocks may lie between them.
    var count: Int
    let reason: String
    let what: String
    /// What they wait for; nil if they are refused.
    let key: [UInt8]?
}
