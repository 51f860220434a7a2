package import ShareCore
package import ShareCrypto

/// A form as it is here: its definition in force and its table.
package struct FormInfo: Sendable {
    /// A column that holds one field's values.
    package struct Column: Hashable, Sendable {
        package let field: FormField
        package let name: String
        /// The same field as other versions of the form had it, as a whole number: its values lie
        /// in this column too.
        package var whole: FormField?

        /// A value in it as one of its field.
        package func shown(_ value: FieldValue) -> FieldValue {
            whole == nil ? value : value.asDecimal
        }
    }

    /// The form's number in this file.
    package let number: Int64
    /// The definition in force.
    package let definition: OperationName
    package let form: FormDefinition
    /// The versions of all accepted definitions.
    package let versions: Set<String>
    /// The fields of each accepted definition, in its order.
    package let definitions: [OperationName: [FormField]]
    /// The accepted definitions: that in force, then the others, the latest first.
    package let accepted: [Root]
    /// The accepted definitions but that in force, the latest first.
    package var earlier: [FormDefinition] { accepted.dropFirst().map(\.form) }
    /// Entries shown.
    package internal(set) var records: Int
    /// The name of its table, not quoted.
    package let table: String
    /// The fields of the definition in force in its order, then those that it no longer has.
    package let columns: [Column]
    /// Of a repeat's form: the accepted definitions of the outermost form, which say what the repeat
    /// asks; that in force, then the others, the latest first. Empty for other forms, and where none
    /// is in force.
    package let roots: [Root]
    package var root: Root? { roots.first }
    /// The forms of its repeats, each with those in it, by form id.
    package internal(set) var repeats: [FormInfo]
    /// Where the lists of its room are looked up.
    package let lists: RoomLists

    /// A definition with its name.
    package struct Root: Sendable {
        package let definition: OperationName
        package let form: FormDefinition
    }

    /// Whether answers to both forms are read alike.
    package func isRead(as other: FormInfo) -> Bool {
        definition == other.definition && root?.definition == other.root?.definition
            && accepted.map(\.definition) == other.accepted.map(\.definition)
            && roots.map(\.definition) == other.roots.map(\.definition)
            && repeats.count == other.repeats.count
            && zip(repeats, other.repeats).allSatisfy { $0.isRead(as: $1) }
    }

    package var formID: String { form.formID }

    /// The form's id, of a repeat its own name alone.
    package var name: String {
        formID.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            String(formID[formID.utf8.index(after: $0)...])
        } ?? formID
    }
}

/// An accepted version of a form, and where its batch stands.
package struct FormVersion: Sendable {
    package let formID: String
    package let version: String
    package let log: LogName
    /// Who has the log up to there has the version.
    package let number: UInt64
}

/// The definition of a form that is in force, and accepted ones that neither it nor a later one has
/// seen: people who did not meet changed the form at once.
package struct ParallelDefinitions: Sendable {
    /// A definition, and who made it when, by that device's clock.
    package struct Made: Sendable {
        package let form: FormDefinition
        package let author: DeviceKey
        package let wall: WallTime
    }

    package let inForce: Made
    /// The latest first.
    package let others: [Made]
    /// Those that the author of the one in force had seen.
    package let seen: [FormDefinition]
}

/// Where a field stands in one of its form's definitions.
package struct FieldPosition: Hashable, Sendable {
    package let definition: OperationName
    /// The place in the definition's list of fields.
    package let position: Int
}

extension FieldValue {
    /// A whole number as the decimal that it is; anything else as it is.
    var asDecimal: FieldValue {
        if case .integer(let number) = self { .decimal(Double(number)) } else { self }
    }
}
