/// The bounds of a batch, alike for everyone (docs/protocol.md, "Limits").
package enum Limits {
    /// Operations in one batch.
    package static let operationsPerBatch = 4_096
    /// Operations in one batch of a control log.
    package static let operationsPerControlBatch = 64
    /// Names that all operations of one batch of a control log hold together.
    package static let namesPerControlBatch = 256
    package static func operations(in kind: LogKind) -> Int {
        kind == .control ? operationsPerControlBatch : operationsPerBatch
    }
    /// How many times its own size the body of a control batch takes when it is unpacked: these are
    /// held in memory.
    package static let controlExpansion = 16
    /// Operations of one batch on one record: a version is small where it is packed and large where
    /// it is worked out, so nobody makes many of them for next to nothing (docs/decisions/0024).
    package static let operationsOnRecord = 16
    /// Bytes of a batch's body before compression.
    package static let rawBody = 1 << 20
    /// Bytes of a batch as it is sent and stored.
    package static let encodedBatch = (1 << 20) + (64 << 10)
    /// Branches of one log; with more, the log is refused whole.
    package static let headsPerLog = 8
    /// Heads of one log that a peer is told of.
    package static let headsTold = 64
    /// Fields of one form definition: the WHO's verbal autopsy has 526. A table may have columns of
    /// three types for each, and SQLite's bound is 2,000.
    package static let fieldsPerForm = 600
    /// Bytes of a field's name.
    package static let fieldName = 63
    /// Bytes of a form's id, of the name of a repeat in one, and of a list's name.
    package static let formIDPart = 63
    /// Bytes of a form's id with those of the repeats that it lies in.
    package static let formID = 255
    /// Bytes of a form's JSON.
    package static let definitionText = 512 << 10
    /// Columns of a list.
    package static let listColumns = 64
    /// Bytes of one cell of a list.
    package static let listCell = 4_096
    /// Cells of one part of a list; their bytes as they are written.
    package static let cellsPerPart = 65_536
    package static let listPart = 256 << 10
    /// Parts that one list names, and rows that they have together.
    package static let partsPerList = parentsPerOperation
    package static let rowsPerList = 250_000
    /// Lists of a room whose rows a device keeps, and rows that they have together: so what one
    /// small batch brings into force takes neither the disk nor the writer for long.
    package static let listsInForce = 256
    package static let rowsInForce = 500_000
    /// Forms of a scope, conditions of one of them, values of a condition.
    package static let formsPerScope = 64
    package static let conditionsPerForm = 16
    package static let valuesPerCondition = 256
    /// Bytes of a value in a condition.
    package static let scopeValue = 255
    /// Bytes of a room's name.
    package static let roomName = 63
    /// Parent names of one operation.
    package static let parentsPerOperation = 64
    /// Bytes of a version label, a reason, a setting's key.
    package static let shortText = 1_024
    /// Bytes of a setting's value. Views of a room are one.
    package static let settingValue = 32_768
    /// Batches, and keys, that one block refers to.
    package static let referencesPerBlock = 8_192
    /// Removals, and other operations but leaves, of one layer about one device in force;
    /// further ones count for nothing.
    package static let operationsInForce = 64
    /// The same for leaves.
    package static let leavesInForce = 16
    /// How often one walk goes through one device's control log.
    package static let walksOfOneLog = 16
    /// A batch's number in its log, wherever one stands.
    package static let numbers: ClosedRange<UInt64> = 1...1 << 53
    package static let largestNumber = numbers.upperBound
    /// Nesting of an item whose kind is unknown.
    package static let unknownDepth = 8
}
