import ShareCore
import ShareCrypto

/// What the writer keeps in memory about its room; a value, so that a transaction that is undone
/// puts it back.
struct RoomState {
    /// The batch that takes the next local operation.
    struct OpenBatch {
        var batch: Int64
        var count: Int
        /// Bytes that its operations will take at most.
        var size: Int
    }

    var clock = HybridClock()
    var recordSum = StateDigest.zero
    var roomSum = StateDigest.zero
    var controls: [ControlRecord] = []
    /// What the file says of them; nil until it has been written once.
    var notes: ControlNotes?
    var judgement: Judgement
    var catalog = FormCatalog()
    var open: OpenBatch?
    /// What a change of authority has left to do, in order.
    var settling: [SettlingJob] = []
    /// Every log with its heads, as far as it is held.
    var logs: [LogName: LogState] = [:]
    /// Records to be looked at again before the transaction ends.
    var dirty: Set<Int64> = []
    /// What a merge has to tell; nil where nobody is told anything.
    var gathering: NewsGathering?
    /// Records shown, by form number; written back when the transaction ends.
    var shown: [Int64: Int] = [:]
    var shownChanged: Set<Int64> = []

    init(room: RoomID) { judgement = Judgement([], room: room) }

    var digest: StateDigest { recordSum + roomSum }

    mutating func count(shown change: Int, in form: Int64) {
        shown[form, default: 0] += change
        shownChanged.insert(form)
    }
}
