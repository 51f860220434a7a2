/// A value of one field in a block; text is a place in the block's storage, so that decoding a
/// block allocates nothing for it.
package enum Cell: Sendable, Hashable {
    case absent
    case integer(Int64)
    case decimal(Double)
    case text(offset: UInt32, length: UInt32)
}
