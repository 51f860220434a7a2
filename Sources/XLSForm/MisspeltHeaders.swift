internal import ShareFormats
internal import Spreadsheet

// Headers of the sheets settings and choices that were meant to be others. Those of the survey are
// told where it is read.
extension XLSFormReader {
    /// Settings that have an effect here, in the order in which hints name them.
    private static let settings = [
        "form_id", "form_title", "version", "default_language", "instance_name", "shared::key",
    ]

    /// Settings that other programs know; they stay with the form, and some are in its XForm.
    private static let othersSettings: Set<String> = [
        "name", "style", "allow_choice_duplicates", "submission_url", "public_key", "auto_send",
        "auto_delete", "client_editable", "namespaces", "instance_id", "instance_xmlns",
        "omit_instanceid", "clean_text_values", "add_none_option", "flat", "prefix", "delimiter",
        "compact_prefix", "compact_delimiter", "sms_keyword", "sms_separator", "sms_allow_media",
        "sms_date_format", "sms_datetime_format", "sms_response",
    ]

    /// Tells of settings that nobody knows.
    mutating func noteMisspelt(inSettings sheet: FormSheet) {
        let others = XLSFormReader.othersSettings.union(XLSFormReader.settingAliases.keys)
        let known = XLSFormReader.settings + others.sorted()
        for header in sheet.headers {
            let title = Header.folded(header.title)
            guard !known.contains(title), !title.hasPrefix("attribute::"),
                !title.hasPrefix("kobo--"), header.meaning != .extra("title")
            else { continue }
            let meant =
                Suggestion.nearest(to: title, among: known)
                ?? (Suggestion.nearest(to: title, among: ["key"]) != nil ? "shared::key" : nil)
            issues.add(
                .warning, SheetPosition(sheet: sheet.name, row: nil, column: header.column),
                "a setting that is not known is kept and has no effect",
                hint: meant.map { "Did you mean \($0)?" }
                    ?? "Settings are \(XLSFormReader.settings.joined(separator: ", ")).")
        }
    }

    private static let choiceColumns = [
        "list_name", "name", "label", "media", "image", "big-image", "audio", "video",
    ]

    /// Tells of columns of choices that are called nearly as one that is known. A form may have any
    /// others for its choice filters; what one of its expressions names is such a one.
    mutating func noteMisspelt(inChoices sheet: FormSheet) {
        for header in sheet.headers where header.meaning == .unknown {
            let end = header.title.firstIndex(of: ":") ?? header.title.endIndex
            let word = Header.folded(String(header.title[..<end]))
            guard
                let meant = Suggestion.nearest(to: word, among: XLSFormReader.choiceColumns),
                !isNamed(header.title)
            else { continue }
            let rest = header.title[end...].drop { $0 == ":" }
            issues.add(
                .warning, SheetPosition(sheet: sheet.name, row: nil, column: header.column),
                "a column that is not known is kept for choice filters, and none has it",
                hint: "Did you mean \(rest.isEmpty ? meant : "\(meant)::\(rest)")?")
        }
    }

    /// Whether a cell outside the choices has the word.
    private func isNamed(_ word: String) -> Bool {
        let sheets = workbook.sheets.filter {
            !["choices", "external_choices"].contains(Header.folded($0.name))
        }
        return sheets.contains { sheet in
            sheet.rows.contains { row in row.cells.contains { $0.text.hasWord(word) } }
        }
    }
}

extension String {
    /// Whether a word stands in the text by itself, not as part of a longer one.
    fileprivate func hasWord(_ word: String) -> Bool {
        guard utf8.count >= word.utf8.count else { return false }
        return ranges(of: word).contains { range in
            let before = self[..<range.lowerBound].last
            let after = self[range.upperBound...].first
            return ![before, after].contains { $0.map(Self.isPartOfName) ?? false }
        }
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_-.".contains(character)
    }
}

extension XLSFormReader {
    /// Tells of columns whose header another one has.
    mutating func noteRepeated(_ sheet: FormSheet) {
        for header in sheet.headers {
            guard let first = sheet.repeated[header.number]?.first else { continue }
            let letters = CellPosition.letters(ofColumn: first)
            issues.add(
                .warning, SheetPosition(sheet: sheet.name, row: nil, column: header.column),
                "column \(letters) has this header too: this one is read only in rows where that one"
                    + " is empty", hint: "Give it another header, or delete it.")
        }
    }
}
