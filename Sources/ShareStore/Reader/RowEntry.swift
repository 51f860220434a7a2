import ShareCore

extension RoomReader {
    /// The entry that a row of a repeat belongs to, through the rows between them.
    ///
    /// - Parameter forms: those of the room.
    /// - Returns: nil where the entry is not shown.
    package func entry(
        above row: RecordRow, of form: FormInfo, in forms: [FormInfo]
    ) throws -> (form: FormInfo, row: RecordRow)? {
        let byID = Dictionary(forms.map { ($0.formID, $0) }, uniquingKeysWith: { one, _ in one })
        var (form, row) = (form, row)
        while let id = FormDefinition.parentForm(of: form.formID) {
            guard case .text(let text)? = row.values.first, let name = ParentName(text.utf8),
                let above = byID[id],
                let found = try records(
                    above,
                    RecordQuery(where: [
                        RecordQuery.Condition(.id, equals: .text(name.id.text)),
                        RecordQuery.Condition(.author, equals: .text(name.creator.text)),
                    ])
                ).first
            else { return nil }
            (form, row) = (above, found)
        }
        return (form, row)
    }
}
