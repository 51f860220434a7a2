/// What the file says of operations of a control batch that have no effect, or none yet: of one
/// or more that follow each other and come to the same.
struct ControlNote: Hashable {
    /// The place of the first one.
    let first: Int
    var count: Int
    let reason: String
    let what: String
    /// What they wait for; nil if they are refused.
    let key: [UInt8]?
}
