extension CBORWriter {
    /// Writes heads, in the order that they come in.
    mutating func write(_ heads: [LogHead]) {
        array(heads.count)
        for head in heads {
            array(2)
            write(unsigned: head.number)
            write(bytes: head.batch.bytes)
        }
    }

    /// Writes the heads of both logs, each in order, as two items.
    mutating func write(_ heads: CoveredHeads) {
        for kind in LogKind.allCases { write(heads.heads(in: kind).sorted()) }
    }
}
