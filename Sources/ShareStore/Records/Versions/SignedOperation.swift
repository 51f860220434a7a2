import ShareCore

/// One operation on a record as a batch says it.
struct SignedOperation {
    let record: RecordName
    let kind: RecordsBlock.Kind
    let clock: Timestamp
    let wall: WallTime
    let parents: [OperationName]
    let content: VersionContent
    /// The definition of its form that its author had.
    let definition: FormDefinition

    /// The operation at a place of a body; nil where there is none on a record, or where its form
    /// is not known.
    init?(_ body: Body, at index: Int, forms catalog: FormCatalog) {
        for case .records(let block) in body.blocks {
            let position = index - block.firstIndex
            guard block.rows.indices.contains(position) else { continue }
            guard let definition = catalog.definitions[block.form],
                (block.fields.last ?? -1) < definition.form.fields.count
            else { return nil }
            let row = block.rows[position]
            record = RecordName(
                form: definition.form.formID, creator: block.creators[Int(row.creator)],
                id: row.id)
            kind = block.kind
            clock = row.clock
            wall = row.wall
            parents = Array(block.parents(of: row))
            self.definition = definition.form
            content = VersionContent(block, row: position, definition: definition.form)
            return
        }
        return nil
    }
}
