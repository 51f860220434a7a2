package import ShareCrypto

/// The entry that a row of a repeat belongs to, as its field `_parent` names it: creator and
/// record id in their text forms with a slash between (docs/protocol.md, "Repeats").
package struct ParentName: Hashable, Sendable {
    package let creator: DeviceKey
    package let id: RecordID

    package init(creator: DeviceKey, id: RecordID) {
        self.creator = creator
        self.id = id
    }

    package init(_ record: RecordName) { self.init(creator: record.creator, id: record.id) }

    /// `dev:`, 52 characters, the slash and a UUID.
    private static let length = 56 + 1 + RecordID.textLength

    package var text: String { "\(creator.text)/\(id.text)" }

    /// Reads that one form and no other; nil for anything else.
    package init?(_ text: some Collection<UInt8>) {
        guard text.count == ParentName.length else { return nil }
        let text = String(decoding: text, as: UTF8.self)
        guard let creator = DeviceKey(text: String(text.prefix(56))),
            let id = RecordID(text: text.suffix(RecordID.textLength))
        else { return nil }
        self.init(creator: creator, id: id)
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }
}

extension FormDefinition {
    /// The fields that every row of a repeat has first: whose it is, and its place there from 1.
    package static let repeatFields = [
        FormField(name: "_parent", type: .text), FormField(name: "_index", type: .integer),
    ]

    /// Whether the records of a form with this id are rows of a repeat.
    package static func isRepeat(_ formID: String) -> Bool {
        formID.utf8.contains(UInt8(ascii: "/"))
    }

    /// The form whose entries rows of that form belong to; nil for one that is no repeat's.
    package static func parentForm(of formID: String) -> String? {
        formID.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(formID[..<$0]) }
    }

    /// The form whose entries rows of that form belong to in the end, through all outer repeats; the
    /// form itself where it is no repeat's.
    package static func outermostForm(of formID: String) -> String {
        formID.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(formID[..<$0]) } ?? formID
    }

    /// Whether every device can use it: names, each once, and those of the protocol where they
    /// belong and nowhere else (docs/protocol.md, "Control operations").
    package var isSound: Bool {
        guard !formID.isEmpty, formID.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return false
        }
        var own = fields[...]
        if isRepeat {
            let parts = formID.utf8.split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard parts.allSatisfy({ (1...Limits.formIDPart).contains($0.count) }),
                fields.starts(with: FormDefinition.repeatFields)
            else { return false }
            own = own.dropFirst(FormDefinition.repeatFields.count)
        } else if formID.utf8.count > Limits.formIDPart {
            return false
        }
        let names = own.map { Array($0.name.utf8) }
        return Set(names).count == names.count
            && names.allSatisfy { !$0.isEmpty && !$0.contains(0) && $0[0] != UInt8(ascii: "_") }
    }
}

extension RecordName {
    /// The entry or row that a row belongs to.
    ///
    /// - Parameters:
    ///   - parent: the row's first value.
    ///   - form: the row's.
    /// - Returns: nil where the value names none, or the form is no repeat.
    package init?(parent: FieldValue?, ofRowsIn form: String) {
        guard case .text(let text)? = parent, let parent = ParentName(text.utf8),
            let outer = FormDefinition.parentForm(of: form)
        else { return nil }
        self.init(form: outer, creator: parent.creator, id: parent.id)
    }
}

extension RecordsBlock {
    /// Whether the fields that a block of a repeat lists are those that its kind must or may write:
    /// a put writes whose row it is and its place, and nothing changes whose it is later.
    package var listsRepeatFields: Bool {
        switch kind {
        case .put: fields.starts(with: [0, 1])
        case .edit: fields.first != 0
        case .delete, .restore, .review, .comment: true
        }
    }

    /// The entry that the row which a put of a repeat makes belongs to; nil where the cell is no
    /// name of one.
    package func parentName(row: Int) -> ParentName? {
        ParentName(cell: cells[row * width], in: storage[...])
    }

    /// The field of the protocol's own in a row of a repeat whose value cannot be one; nil if
    /// there is none. The block lists its fields rightly.
    package func repeatMisfit(row: Int) -> String? {
        if kind == .put, parentName(row: row) == nil {
            return FormDefinition.repeatFields[0].name
        }
        if let column = fields.firstIndex(of: 1), kind == .put || kind == .edit,
            !RecordsBlock.isPlace(cells[row * width + column])
        {
            return FormDefinition.repeatFields[1].name
        }
        return nil
    }

    /// Whether a cell is a place among the rows of an entry.
    package static func isPlace(_ cell: Cell) -> Bool {
        if case .integer(let position) = cell { position >= 1 } else { false }
    }
}

extension ParentName {
    /// Reads a cell whose text lies in `storage`.
    package init?(cell: Cell, in storage: some RandomAccessCollection<UInt8>) {
        guard case .text(let offset, let length) = cell else { return nil }
        let first = storage.index(storage.startIndex, offsetBy: Int(offset))
        self.init(storage[first..<storage.index(first, offsetBy: Int(length))])
    }
}
