internal import JSON
internal import ShareControl
import Glibc

/// The CSV files of lists that a form names and does not hold itself: `lists/NAME.csv`, or for an
/// XLSForm its media files and `itemsets.csv`, beside the form's file or beside its folder.
enum ListFiles {
    /// A list and the file that it lies in.
    struct File: Hashable {
        let name: String
        let path: String
    }

    /// The file of each list that has one. Whether one is needed the daemon knows.
    static func find(for form: JSONValue, beside path: String) -> [File] {
        let folder =
            isFolder(path)
            ? (path.hasSuffix("/") ? path : path + "/")
            : path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let held = form.object?["lists"]?.object
        var files: [File] = []
        for named in names(in: form.object?["fields"]) where held?[named] == nil && isPlain(named) {
            let name = Self.name(of: named)
            guard !files.contains(where: { $0.name == name }) else { continue }
            let candidates =
                ["lists/", "../lists/", "", "media/"].map { "\(folder)\($0)\(name).csv" }
                + ["\(folder)itemsets.csv"]
            guard let file = candidates.first(where: { access($0, F_OK) == 0 }),
                !FolderBounds(file.hasPrefix("\(folder)../") ? folder + "../" : folder)
                    .isLeft(by: file)
            else { continue }
            files.append(File(name: name, path: file))
        }
        return files
    }

    /// The name of the list in a file: without folder and ending.
    static func name(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        return file.lowercased().hasSuffix(".csv") ? String(file.dropLast(4)) : file
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The lists that fields name, also those in groups and repeats.
    private static func names(in fields: JSONValue?) -> [String] {
        (fields?.array ?? []).compactMap(\.object).flatMap { field in
            [field["list"]?.string].compactMap { $0 } + names(in: field["fields"])
        }
    }

    /// Whether it is a name and no path, so that a form cannot fetch any other file.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("@") && !name.contains("/")
            && !name.unicodeScalars.contains("\0")
    }
}
