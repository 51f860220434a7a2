package import ShareFormats

/// The reason why a file cannot be read as tables.
package enum SpreadsheetError: Error, Hashable, Sendable {
    case empty
    /// A file of Excel 97 to 2003 (OLE2), whatever its name.
    case oldExcel
    /// The file asks for a password.
    case encrypted
    /// A pointer of Git LFS in place of the file.
    case gitLFSPointer
    /// The note that an office program leaves beside a file that is open.
    case lockFile
    case openDocument
    /// An .xlsb file.
    case binaryWorkbook
    case unknownFormat
    /// The archive, or a part of it, is broken.
    case damaged(part: String, reason: String)
    /// A part of an archive whose name leads out of it.
    case outside(part: String)
    /// Two parts of an archive whose names are equal, or differ by case alone.
    case sameName(String, String)
    case missingPart(String)
    /// XML with a document type: entities could grow without bound.
    case documentType(part: String)
    case tooLarge(what: String, limit: Int)
    /// A text file that is not UTF-8; the line is counted from 1.
    case notUTF8(file: String, line: Int)
    case csv(file: String, CSVError)
    /// A Markdown file without a table that names a sheet in its first column.
    case noTable
}

extension SpreadsheetError: CustomStringConvertible {
    /// One clause for people, without a full stop.
    package var description: String {
        switch self {
        case .empty: "the file is empty"
        case .oldExcel: "this is a file of Excel 97-2003 (.xls)"
        case .encrypted: "the file is protected by a password"
        case .gitLFSPointer: "this is a pointer of Git LFS, not the file itself"
        case .lockFile: "this is the lock file that an office program leaves beside an open file"
        case .openDocument: "this is an OpenDocument file"
        case .binaryWorkbook: "this is a binary workbook (.xlsb)"
        case .unknownFormat: "this is no spreadsheet that can be read here"
        case .damaged(let part, let reason): "\(part) is damaged: \(reason)"
        case .outside(let part): "\(part) in the archive leads out of it"
        case .sameName(let one, let other) where one == other:
            "the archive has two files \(one)"
        case .sameName(let one, let other):
            "\(one) and \(other) in the archive differ by upper and lower case only"
        case .missingPart(let part): "the file has no \(part)"
        case .documentType(let part): "\(part) has a document type, which no workbook needs"
        case .tooLarge(let what, let limit): "\(what): more than \(limit)"
        case .notUTF8(let file, let line): "\(file), line \(line): not UTF-8 text"
        case .csv(let file, let error): "\(file), \(error)"
        case .noTable: "no table found"
        }
    }

    /// The remedy for an archive, which no spreadsheet program opens.
    package var hintOfArchive: String {
        switch self {
        case .empty, .damaged: "Is it the right file? Make the archive again, or copy it again."
        default: hint
        }
    }

    /// The remedy.
    package var hint: String {
        switch self {
        case .empty, .damaged, .missingPart, .documentType:
            "Open it in a spreadsheet program and save it again as .xlsx."
        case .outside: "Make the archive again, of the files alone."
        case .sameName: "Make the archive again, with each name once."
        case .oldExcel, .openDocument, .binaryWorkbook: "Save it as .xlsx."
        case .encrypted: "Save it without a password."
        case .gitLFSPointer: "Run git lfs pull first."
        case .lockFile: "Name the file without ~$ in front."
        case .unknownFormat: "Give an .xlsx file, CSV files or Markdown tables."
        case .tooLarge: "Is it the right file? Delete what the form does not need."
        case .notUTF8: "Save the file as UTF-8."
        case .csv(_, let error): error.hint
        case .noTable: "The first line of a table is for instance | survey |."
        }
    }
}
