import ShareCore
import ShareCrypto

/// A reader of all that is held, for those who look and those who decide: refused operations, the
/// logs of one device, forks. It reads the tables of `RoomPolicy` and `BatchLog` and changes none.
struct RoomReview {
    let policy: RoomPolicy
    let log: BatchLog
    let catalog: FormCatalog

    var database: Database { policy.database }
    var devices: DeviceTable { policy.devices }
    var authority: Authority { policy.authority }
}

extension Room {
    var review: RoomReview { RoomReview(policy: policy, log: log, catalog: forms.catalog) }
}
