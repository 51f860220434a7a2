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
