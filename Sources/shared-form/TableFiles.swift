import Glibc
import JSON
import ShareFormats
import Spreadsheet

/// Makes one file of several CSV files, and several out of one.
enum TableFiles {
    // MARK: Into one

    /// Writes a workbook with a sheet for each CSV file.
    ///
    /// - Parameter request: `output`, a path, `folder` for what is needed meanwhile, and `sheets`, each with its `name`, its `file`, and
    ///   the `types` of columns that are no text.
    static func workbook(_ request: JSONObject) throws -> JSONObject {
        let output = try path(request["output"])
        let book = TableWorkbook(in: try path(request["folder"]))
        do {
            for sheet in request["sheets"]?.array ?? [] {
                guard let sheet = sheet.object, let name = sheet["name"]?.string else { continue }
                try fill(book, name, try path(sheet["file"]), sheet["types"]?.object ?? [:])
            }
            try book.write(to: output)
        } catch let error as SpreadsheetError {
            throw FormToolError(message: "\(error)", hint: "Write CSV: it has no such bounds.")
        }
        return ["bytes": .integer(size(of: output))]
    }

    private static func fill(
        _ book: TableWorkbook, _ name: String, _ file: String, _ types: JSONObject
    ) throws {
        var kinds: [TableCell.Kind]?
        var failure: SpreadsheetError?
        try read(file) { row in
            guard failure == nil else { return }
            do throws(SpreadsheetError) {
                guard let kinds else {
                    kinds = row.cells.map { title in
                        types[title]?.string.flatMap(TableCell.Kind.init) ?? .text
                    }
                    return try book.begin(sheet: name, columns: row.cells)
                }
                try book.append(zip(row.cells, kinds).map { TableCell.cell($0, $1) })
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Hands over each row of a CSV file.
    private static func read(_ path: String, _ body: (CSVRow) -> Void) throws {
        guard let file = fopen(path, "r") else {
            throw FormToolError(message: "\(path): \(String(cString: strerror(errno)))", hint: nil)
        }
        defer { fclose(file) }
        var reader = CSVReader(separator: UInt8(ascii: ","))
        var chunk = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
            guard ferror(file) == 0 else {
                throw FormToolError(
                    message: "\(path) cannot be read: \(String(cString: strerror(errno)))",
                    hint: nil)
            }
            if count == 0 { break }
            try chunk.withUnsafeBytes {
                try reader.read(UnsafeRawBufferPointer(rebasing: $0[..<count]), body)
            }
        }
        try reader.finish(body)
    }

    /// Writes an archive.
    ///
    /// - Parameter request: `output`, a path, and `parts`, each with its `name` and its `file`.
    static func archive(_ request: JSONObject) throws -> JSONObject {
        let output = try path(request["output"])
        do {
            let archive = try ZipFile(output)
            for part in request["parts"]?.array ?? [] {
                guard let part = part.object, let name = part["name"]?.string else { continue }
                try archive.add(name, fileAt: try path(part["file"]))
            }
            try archive.finish()
        } catch let error as SpreadsheetError {
            throw FormToolError(message: "\(error)", hint: nil)
        }
        return ["bytes": .integer(size(of: output))]
    }

    // MARK: Out of one

    /// Writes each part of an archive, or each sheet of a workbook as CSV, into a folder. Of a sheet it
    /// says by `shifts` which of its rows stand in other lines: from a row on, from a line on.
    static func unpack(_ path: String, into folder: String) throws -> JSONObject {
        let bytes = try FormFile.bytes(of: path, limit: SpreadsheetLimits.archiveBytes)
        var files: [JSONValue] = []
        do {
            if try ZipArchive.isWorkbook(bytes) {
                let book = try Workbook(xlsx: bytes)
                for (index, sheet) in book.sheets.enumerated() {
                    let file = "\(folder)/\(index + 1).csv"
                    try save(sheet.csv, at: file, as: "sheet \(sheet.name)")
                    let shifts = sheet.shifts.map { shift -> JSONValue in
                        .array([.integer(Int64(shift.row)), .integer(Int64(shift.line))])
                    }
                    files.append([
                        "name": .string(sheet.name), "file": .string(file),
                        "shifts": .array(shifts),
                    ])
                }
                return ["kind": "workbook", "files": .array(files)]
            }
            try ZipArchive.unpack(bytes) { name, part in
                let file = "\(folder)/\(name)"
                makeFolders(of: name, in: folder)
                try save(part, at: file, as: name)
                files.append(["name": .string(name), "file": .string(file)])
            }
        } catch let error as SpreadsheetError {
            let isArchive = path.lowercased().hasSuffix(".zip")
            throw FormToolError(
                message: "\(error)", hint: isArchive ? error.hintOfArchive : error.hint)
        }
        return ["kind": "archive", "files": .array(files)]
    }

    private static func makeFolders(of name: String, in folder: String) {
        var path = folder
        for part in name.split(separator: "/").dropLast() {
            path += "/\(part)"
            mkdir(path, 0o700)
        }
    }

    /// - Parameter name: what people know it by.
    /// - Throws: `FormToolError`: what is left out would be missing without a word.
    private static func save(_ bytes: [UInt8], at path: String, as name: String) throws {
        func failure() -> FormToolError {
            let (code, reason) = (errno, String(cString: strerror(errno)))
            let hint =
                code == ENAMETOOLONG
                ? "Give it a shorter name." : "See whether there is room: `df`."
            return FormToolError(message: "\(name) cannot be unpacked: \(reason)", hint: hint)
        }
        guard let file = fopen(path, "wx") else { throw failure() }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            let failure = failure()
            fclose(file)
            throw failure
        }
        guard fclose(file) == 0 else { throw failure() }
    }

    private static func path(_ value: JSONValue?) throws -> String {
        guard let path = value?.string else {
            throw FormToolError(message: "a path is missing", hint: nil)
        }
        return path
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
