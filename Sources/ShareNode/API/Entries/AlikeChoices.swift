import ShareControl
import ShareCore
import ShareFormats
import ShareForms

/// Answers that several choices are called: the other answers may leave one of them.
///
/// Who reads a request puts a placeholder in the place of such an answer, with the number of its fault
/// among all.
struct AlikeChoices {
    /// What stands in the place of placeholders: nil where it stays open what is meant.
    let values: [FieldValue: FieldValue?]
    /// What is still wrong.
    let faults: [EntryFault]

    /// - Parameters:
    ///   - unread: what could not be read.
    ///   - state: the entry with placeholders; it is asked for only where there are some.
    init(_ unread: [EntryFault], in state: () -> FillState) {
        var open: [Int: ValueError] = [:]
        for (number, fault) in unread.enumerated() { open[number] = fault.alike }
        guard !open.isEmpty else {
            (values, faults) = ([:], unread)
            return
        }
        let settled = state().settle(open)
        var values: [FieldValue: FieldValue?] = [:]
        var faults: [EntryFault] = []
        for (number, fault) in unread.enumerated() {
            let placeholder = FieldValue.text(FillState.placeholder(number))
            switch settled[number] {
            case .success(let value): values[placeholder] = .some(value)
            case .failure(let error):
                values[placeholder] = .some(nil)
                faults.append(EntryFault(error, at: fault.path))
            case nil: faults.append(fault)
            }
        }
        (self.values, self.faults) = (values, faults)
    }
}

extension EntryValues {
    /// The same with values in the place of others; nil stands for none.
    func replacing(_ values: [FieldValue: FieldValue?]) -> EntryValues {
        guard !values.isEmpty else { return self }
        var own = self.values
        for (place, value) in self.values {
            if let other = values[value] { own[place] = other }
        }
        return EntryValues(
            values: own,
            repeats: repeats.map { index, rows in
                (
                    index,
                    rows.map { row in
                        Row(
                            id: row.id, entry: row.entry.replacing(values), isNew: row.isNew,
                            said: row.said, place: row.place)
                    }
                )
            }, asked: asked)
    }
}
