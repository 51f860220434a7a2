package import ShareCore
import ShareCrypto

/// An entry or a row that is deleted, in which rows lie that are not: somebody entered them without
/// knowing of the deletion.
package struct LeftRows: Sendable {
    package let deleted: RecordName
    package internal(set) var rows: [RecordName]
}

extension RoomReader {
    /// Rows that are told.
    private static let mostLeft = 1_000

    /// What is deleted with rows in it that are not, by form and name.
    ///
    /// - Parameter forms: those of the room.
    /// - Complexity: O(deleted records of forms with repeats · log rows).
    package func leftRows(in forms: [FormInfo]) throws -> [LeftRows] {
        let numbers = Dictionary(forms.map { ($0.formID, $0.number) }) { first, _ in first }
        var found: [RecordName: LeftRows] = [:]
        for form in forms {
            guard let outer = FormDefinition.parentForm(of: form.formID),
                let number = numbers[outer]
            else { continue }
            let statement = try database.prepare(
                """
                SELECT r.id, r.creator, c._id, c._author
                FROM _record r JOIN _device d ON d.device = r.creator
                JOIN \(SQLName.quote(form.table)) c
                    ON c._parent = \(RecordSQL.parentName(hex: "hex(r.id)", device: "d.id"))
                WHERE r.form = ?1 AND r.hidden AND r.created
                ORDER BY r.id, c._id LIMIT \(Self.mostLeft)
                """)
            try statement.bind([.integer(number)])
            while try statement.step() {
                guard let id = RecordID(statement.blob(0)),
                    let row = RecordID(text: statement.text(2))
                else { continue }
                let deleted = RecordName(
                    form: outer, creator: try devices.key(of: statement.integer(1)), id: id)
                found[deleted, default: LeftRows(deleted: deleted, rows: [])].rows.append(
                    RecordName(
                        form: form.formID, creator: try devices.key(of: statement.integer(3)),
                        id: row))
            }
        }
        return found.values.sorted { $0.deleted < $1.deleted }
    }
}
