/// The parts of a workbook other than its sheets: where sheets lie, shared texts, styles.
struct XLSXParts {
    /// A sheet as the workbook lists it.
    struct Listing {
        let name: String
        let part: String
    }

    let sheets: [Listing]
    let texts: [String]
    /// By the index that cells name.
    let styles: [CellFormat]
    /// Whether days are counted from 1904 on.
    let from1904: Bool

    init(_ archive: ZipArchive) throws(SpreadsheetError) {
        let workbook = try XLSXParts.workbookPart(archive)
        let folder = XLSXParts.folder(of: workbook)
        let relations = try XLSXParts.relations(of: workbook, archive)
        let list = SheetList()
        try archive.parse(workbook, list)
        from1904 = list.from1904
        var sheets: [Listing] = []
        for sheet in list.sheets {
            guard let target = relations.first(where: { $0.id == sheet.relation })?.target else {
                continue
            }
            sheets.append(Listing(name: sheet.name, part: XLSXParts.path(target, in: folder)))
        }
        self.sheets = sheets

        func part(_ kind: String) -> String? {
            let found = relations.first { $0.kind == kind }
            let path = XLSXParts.path(found?.target ?? kind + ".xml", in: folder)
            return archive.contains(path) ? path : nil
        }
        let strings = SharedTexts()
        if let path = part("sharedStrings") { try archive.parse(path, strings) }
        texts = strings.texts
        let styles = StyleList()
        if let path = part("styles") { try archive.parse(path, styles) }
        self.styles = styles.formats
    }

    private static func workbookPart(_ archive: ZipArchive) throws(SpreadsheetError) -> String {
        let relations = try relations(of: "", archive)
        let named = relations.first { $0.kind == "officeDocument" }.map { path($0.target, in: "") }
        for path in [named, "xl/workbook.xml"] {
            guard let path, archive.contains(path) else { continue }
            if path.lowercased().hasSuffix(".bin") { throw .binaryWorkbook }
            return path
        }
        if archive.contains("content.xml"), archive.contains("META-INF/manifest.xml") {
            throw .openDocument
        }
        throw archive.contains("xl/workbook.bin") ? .binaryWorkbook : .missingPart("workbook")
    }

    private static func relations(
        of part: String, _ archive: ZipArchive
    ) throws(SpreadsheetError) -> [RelationList.Relation] {
        let folder = folder(of: part)
        let path = "\(folder)_rels/\(part.dropFirst(folder.count)).rels"
        let list = RelationList()
        if archive.contains(path) { try archive.parse(path, list) }
        return list.relations
    }

    /// The folder of a part, with its slash; empty for the root.
    private static func folder(of part: String) -> String {
        part.lastIndex(of: "/").map { String(part[...$0]) } ?? ""
    }

    /// The part that a relation's target names: from the root with a leading `/`, else from the
    /// folder of the part that has the relation.
    private static func path(_ target: String, in folder: String) -> String {
        let whole = target.hasPrefix("/") ? target : folder + target
        var steps: [Substring] = []
        for step in whole.split(whereSeparator: { $0 == "/" || $0 == "\\" }) where step != "." {
            if step == ".." { _ = steps.popLast() } else { steps.append(step) }
        }
        return steps.joined(separator: "/")
    }
}

extension ZipArchive {
    func parse(_ part: String, _ handler: any XMLHandler) throws(SpreadsheetError) {
        let parser = XMLParser(part: part, handler: handler)
        try read(part) { (piece) throws(SpreadsheetError) in try parser.parse(piece) }
        try parser.finish()
    }
}

private final class RelationList: XMLHandler {
    struct Relation {
        let id: String
        /// The last word of its type's address, which is the same in both editions of the format.
        let kind: String
        let target: String
    }

    private(set) var relations: [Relation] = []

    func start(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) {
        guard name == "Relationship", attributes["TargetMode"] != "External",
            relations.count < SpreadsheetLimits.parts, let target = attributes["Target"]
        else { return }
        let type = attributes["Type"] ?? ""
        let kind = type[
            (type.lastIndex(of: "/").map { type.index(after: $0) } ?? type.startIndex)...]
        relations.append(
            Relation(id: attributes["Id"] ?? "", kind: String(kind), target: target))
    }

    func end(_ name: String) {}
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}

private final class SheetList: XMLHandler {
    private(set) var sheets: [(name: String, relation: String)] = []
    private(set) var from1904 = false

    func start(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) {
        switch name {
        case "workbookPr":
            from1904 = ["1", "true", "on"].contains(attributes["date1904"] ?? "")
        case "sheet":
            guard sheets.count < SpreadsheetLimits.sheets else {
                throw .tooLarge(what: "sheets", limit: SpreadsheetLimits.sheets)
            }
            // `sheetId` is another attribute; the relation's is `id` with a prefix.
            if let title = attributes["name"], let relation = attributes["id"] {
                sheets.append((title, relation))
            }
        default: break
        }
    }

    func end(_ name: String) {}
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}

/// The texts that cells name by number, without the reading aids (`rPh`) of Japanese.
private final class SharedTexts: XMLHandler {
    private(set) var texts: [String] = []
    private var text = CellText()
    private var total = 0

    func start(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) {
        if name == "si" { text = CellText() }
        text.start(name)
    }

    func end(_ name: String) throws(SpreadsheetError) {
        text.end(name)
        guard name == "si" else { return }
        total += text.bytes.count
        guard texts.count < SpreadsheetLimits.cells else {
            throw .tooLarge(what: "shared texts", limit: SpreadsheetLimits.cells)
        }
        guard total <= SpreadsheetLimits.textBytes else {
            throw .tooLarge(what: "bytes of text", limit: SpreadsheetLimits.textBytes)
        }
        texts.append(text.string)
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(SpreadsheetError) {
        try text.append(bytes)
    }
}
