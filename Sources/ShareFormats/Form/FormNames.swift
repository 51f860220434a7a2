internal import ShareCore

/// The rules for names in a form that people write. What a peer sends is not judged by them.
package enum FormNames {
    /// The fault of `name` as the id of a form; nil for none.
    package static func fault(ofFormID name: String) -> String? {
        let bytes = Array(name.utf8)
        guard let first = bytes.first else { return "it is empty" }
        if bytes.count > FormLimits.nameBytes {
            return "it is longer than \(FormLimits.nameBytes) bytes"
        }
        guard isLetter(first) else { return "it must start with a letter" }
        for byte in bytes where !isLetter(byte) && !(48...57).contains(byte) {
            guard
                byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            else { return "only letters (a to z), digits and _ - . may be in it" }
        }
        if folded(name).starts(with: "sqlite_".utf8) {
            return "names with sqlite_ are SQLite's own"
        }
        return nil
    }

    /// The fault of `name` as the name of a repeat, which ends the id of a form of its own; nil for
    /// none.
    package static func fault(ofRepeat name: String) -> String? {
        fault(ofField: name) ?? fault(ofFormID: name)
    }

    /// The fault of `name` as the name of a field; nil for none. Spaces, brackets and every script
    /// are welcome, so that a spreadsheet's headers can stay.
    package static func fault(ofField name: String) -> String? {
        if let fault = fault(ofLabelled: name) { return fault }
        if name.utf8.first == UInt8(ascii: "_") { return "names with _ in front are the system's" }
        for sign in "\"={}".utf8 where name.utf8.contains(sign) {
            return "it contains \(Character(Unicode.Scalar(sign)))"
        }
        for type in StorageType.allCases where folded(name).ends(with: "__" + type.name) {
            return "names ending in __\(type.name) are the system's"
        }
        return nil
    }

    /// The fault of `name` as the name of a group or list; nil for none.
    package static func fault(ofLabelled name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.utf8.count > FormLimits.nameBytes {
            return "it is longer than \(FormLimits.nameBytes) bytes"
        }
        if hasControl(name) { return "it contains a control character" }
        if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
            return "it begins or ends with a space"
        }
        return nil
    }

    /// Whether a control character (also the upper ones, and DEL) is in `text`.
    package static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
    }

    /// The bytes of `name` with A to Z as a to z: how SQLite compares names.
    package static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

/// The bounds of a form. They keep a definition well within one batch.
package enum FormLimits {
    /// Of the definition's JSON.
    package static let jsonBytes = Limits.definitionText
    package static let fields = Limits.fieldsPerForm
    package static let lists = 500
    /// Of one repeat in one entry, where the form counts or computes them.
    package static let repetitions = 1_000
    /// Of all repeats of one entry, as a request may have them: as many come with an entry that is
    /// read.
    package static let rows = 10_000
    /// Of one list inside a form.
    package static let choices = 10_000
    /// Of one answer to a question with several choices.
    package static let chosen = 1_000
    /// Of one list that conditions and calculations look into.
    package static let listColumns = Limits.listColumns
    /// Of the id, the version, and each name of a field, group, list.
    package static let nameBytes = min(Limits.fieldName, Limits.formIDPart)
    package static let choiceNameBytes = 255
    package static let labelBytes = 16 * 1024
    /// Of one value as text.
    package static let valueBytes = 256 * 1024
    /// Of all values of an entry; with its frame it has to fit the body of one batch.
    package static let entryBytes = 768 * 1024
    /// Warnings beyond these are counted in one last warning.
    package static let warnings = 100
}
