/// One version of a form as it travels: what every receiver needs to judge a record by, and the
/// form's JSON, which only those who show or fill the form read.
package struct FormDefinition: Hashable, Sendable {
    package let formID: String
    package let version: String
    /// The definitions of this form that its author had seen and replaces.
    package let parents: [OperationName]
    /// In the order of the form; records name fields by their place in this list.
    package let fields: [FormField]
    /// The whole definition, as JSON.
    package let json: String
    /// Whether its records are rows of a repeat, which belong to records of another form.
    package let isRepeat: Bool

    package init(
        formID: String, version: String, parents: [OperationName], fields: [FormField], json: String
    ) {
        self.formID = formID
        self.version = version
        self.parents = parents
        self.fields = fields
        self.json = json
        isRepeat = FormDefinition.isRepeat(formID)
    }
}

/// A field as storage and wire know it. Names are compared by their bytes: two that differ in
/// normalisation alone are two fields, alike for every release of Unicode.
package struct FormField: Hashable, Sendable {
    package let name: String
    package let type: StorageType

    package init(name: String, type: StorageType) {
        self.name = name
        self.type = type
    }

    package static func == (a: FormField, b: FormField) -> Bool {
        a.type == b.type && a.name.utf8.elementsEqual(b.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// How a field's values are stored and travel. With its form and its name it makes a field: the
/// same name with another type is another field.
package enum StorageType: UInt8, Hashable, Sendable, CaseIterable {
    /// UTF-8 as typed. Choices too: several are separated by one space.
    case text = 0
    /// A signed 64-bit number.
    case integer = 1
    /// A finite IEEE 754 double, never negative zero, which SQLite does not keep.
    case decimal = 2
    /// `YYYY-MM-DD`.
    case date = 3
    /// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff`, with an optional offset (`Z`, `+hh:mm`).
    case time = 4
    /// A date, `T`, and a time.
    case dateTime = 5

    /// The word for it in column names (`name__type`) and documents.
    package var name: String {
        switch self {
        case .text: "text"
        case .integer: "integer"
        case .decimal: "decimal"
        case .date: "date"
        case .time: "time"
        case .dateTime: "datetime"
        }
    }
}

extension StorageType {
    /// Whether a value may stand in a field of this type. Every receiver asks this and nothing
    /// else of a value (docs/protocol.md, "Values").
    package func accepts(_ value: FieldValue) -> Bool {
        switch (self, value) {
        case (_, .absent), (.integer, .integer), (.text, .text): true
        case (.decimal, .decimal(let number)): StorageType.isStorable(number)
        case (.date, .text(let text)): CalendarText.isDate(text.utf8)
        case (.time, .text(let text)): CalendarText.isTime(text.utf8)
        case (.dateTime, .text(let text)): CalendarText.isDateTime(text.utf8)
        default: false
        }
    }

    /// The same for a cell whose text lies in `storage`.
    package func accepts(_ cell: Cell, in storage: [UInt8]) -> Bool {
        switch (self, cell) {
        case (_, .absent), (.integer, .integer), (.text, .text): true
        case (.decimal, .decimal(let number)): StorageType.isStorable(number)
        case (.date, .text(let offset, let length)):
            CalendarText.isDate(storage[Int(offset)..<Int(offset + length)])
        case (.time, .text(let offset, let length)):
            CalendarText.isTime(storage[Int(offset)..<Int(offset + length)])
        case (.dateTime, .text(let offset, let length)):
            CalendarText.isDateTime(storage[Int(offset)..<Int(offset + length)])
        default: false
        }
    }

    private static func isStorable(_ number: Double) -> Bool {
        number.isFinite && !(number == 0 && number.sign == .minus)
    }
}
