import ShareCore
import ShareFormats

/// What the check of many entries asks of an item again and again, without the texts of its field:
/// copying these costs more than the check.
struct ItemTraits: Sendable {
    let isField: Bool
    let isRepeat: Bool
    let isContainer: Bool
    /// Its place in `Answers`.
    let slot: Int
    /// The fewest repetitions that a new entry begins with.
    let leastRows: Int
    /// Whether a new entry begins with a plain value of it.
    let mayBegin: Bool
    /// As what its value is computed with.
    let storage: StorageType?
    /// What every value of its calculation is.
    let computed: EntryTree.Computed
    /// People must answer it wherever it is relevant.
    let wantsAnswer: Bool
    /// By a condition.
    let mayBeRequired: Bool
    /// People may only look at it, always.
    let isReadOnly: Bool
    /// By a condition.
    let mayBeReadOnly: Bool
    /// Whether its value has bounds of its own: choices, a range, names of files, the number of
    /// repetitions in it.
    let isBounded: Bool
    /// Whether its texts must be written in a certain way.
    let isShaped: Bool
    let hasConstraint: Bool
    let hasWarning: Bool
    /// Whether rows of repeats in files of their own decide about it.
    let readsRepeats: Bool
    let isInRepeat: Bool

    init(_ item: Item) {
        let field = item.field
        isField = field != nil
        isRepeat = item.isRepeat
        isContainer = item.isContainer
        slot = item.slot
        if case .repeat(let outer) = item.kind {
            leastRows = outer.minimum ?? 0
        } else {
            leastRows = 0
        }
        mayBegin = field.map { $0.kind.isAutomatic || item.rules.plain != nil } ?? false
        storage = field?.kind.storage
        computed = item.rules.calculation?.computed ?? .plain
        let isAsked =
            field.map { !$0.kind.isAutomatic && $0.expressions.calculation == nil } ?? false
        wantsAnswer = isAsked && item.wantsAnswer
        mayBeRequired = isAsked && item.rules.required != nil
        isReadOnly =
            field.map { $0.isReadOnly || $0.kind.isAutomatic } ?? false
            || field != nil
                && item.rules.calculation.map { $0.timing.isFormsOwn || $0.timing == .answers }
                    == true
            || field.map { Self.isSilent($0) } ?? false
        mayBeReadOnly = field != nil && item.rules.readOnly != nil
        isBounded = item.isBounded
        isShaped = field?.kind.isShaped ?? false
        hasConstraint = item.rules.constraint != nil
        hasWarning = item.rules.warn != nil
        readsRepeats = item.readsRepeats
        isInRepeat = item.scope != 0
    }

    /// A calculation with neither label nor hint has nothing to ask people with: XLSForm makes no
    /// question of it either, whenever it is computed.
    private static func isSilent(_ field: Form.Field) -> Bool {
        field.expressions.calculation != nil && field.label.isEmpty && field.hint.isEmpty
    }
}
