import ShareCore
import ShareCrypto

/// Batches that are to be judged anew, and how far they have been: what a change of authority
/// leaves to later transactions.
struct ReindexJob: Hashable {
    enum Subject: Hashable {
        /// The batches that use a form's definition.
        case definition(OperationName)
        /// The batches that are being filled here.
        case pending
        /// The sealed batches of a device's records log.
        case log(DeviceKey)
        /// The batches in quarantine of a device that has a grant now.
        case quarantined(DeviceKey)
    }

    let subject: Subject
    /// Where it goes on: behind this number of the log, where there is one, and this row.
    var number: Int64 = -1
    var row: Int64 = -1
    /// The last number of the log that is meant.
    var last: Int64 = .max
    /// Operations.
    var done = 0
    var total = 0
    var isTakingOut = false

    /// The order in which jobs are done: a form's records first, so that those of an author who
    /// also loses his standing are judged once.
    var order: (Int64, [UInt8]) {
        switch subject {
        case .definition(let name): (0, name.key)
        case .pending: (1, [])
        case .log(let key): (2, key.bytes)
        case .quarantined(let key): (3, key.bytes)
        }
    }

    /// The subject that `order` stands for.
    static func subject(_ kind: Int64, _ bytes: [UInt8]) -> Subject? {
        switch kind {
        case 0: bytes.withUnsafeBytes { OperationName.names($0).first }.map { .definition($0) }
        case 1: .pending
        case 2: DeviceKey(bytes).map { .log($0) }
        case 3: DeviceKey(bytes).map { .quarantined($0) }
        default: nil
        }
    }
}
