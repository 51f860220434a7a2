import ShareCore
import ShareCrypto

/// A batch of records in the file: sealed, or still being filled here.
struct HeldBatch {
    let batch: Int64
    /// For an open batch a stand-in (`BatchID.open`).
    let id: BatchID
    let number: UInt64
    let author: DeviceKey
    let authorNumber: Int64
    let isOpen: Bool

    var head: LogHead { LogHead(number: number, batch: id) }

    func local(_ index: Int) -> LocalName { LocalName(batch: batch, index: index) }
}
