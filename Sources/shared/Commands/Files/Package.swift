internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// A folder, or an archive of one, that sets a room up, as its package.json describes it.
struct Package {
    let room: String
    let isHidden: Bool
    let lists: [ListFiles.File]
    /// Paths of forms.
    let forms: [String]
    /// Forms, or `FORM/REPEAT`, and the paths of their CSV files, in the order of the file.
    let data: [(form: String, path: String)]
    let views: String?
    /// Whether its entries are as a room kept them.
    let areKept: Bool

    /// With a `/` at its end.
    private let folder: String
    /// What the user calls it.
    private let archive: String
    /// Where an archive lies unpacked meanwhile.
    private let unpacked: ScratchFolder?

    /// - Throws: `Problem` where it, or a file that it names, cannot be read.
    init(_ path: String) throws(Problem) {
        archive = path
        let isArchive = path.lowercased().hasSuffix(".zip")
        if isArchive {
            let scratch = try ScratchFolder()
            folder = try Self.unpack(path, into: scratch.path)
            unpacked = scratch
        } else {
            var status = stat()
            guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
                throw Problem(
                    .badFile, "\(path) is no package: neither a folder nor a .zip",
                    hint: "Name the folder that has a package.json.")
            }
            folder = path.hasSuffix("/") ? path : path + "/"
            unpacked = nil
        }
        let shown = isArchive ? "\(path), package.json" : folder + "package.json"
        let tree: JSONValue
        do throws(Problem) {
            tree = try Self.tree(of: folder + "package.json")
        } catch {
            throw isArchive ? Self.named(error, folder, path) : error
        }
        guard let name = tree.object?["room"]?.object?["name"]?.string else {
            throw Problem(
                .badFile, "\(shown) names no room",
                hint: "For instance \"room\": {\"name\": \"clinic\"}.")
        }
        room = name
        isHidden = tree.object?["room"]?.object?["hidden"] == .bool(true)
        var forms: [String] = []
        for form in tree.object?["forms"]?.array ?? [] {
            forms.append(try Package.inside(folder, form, shown))
        }
        var data: [(form: String, path: String)] = []
        for member in tree.object?["data"]?.object?.members ?? [] {
            // A large table may be several files.
            for file in member.value.array ?? [member.value] {
                data.append((member.key, try Package.inside(folder, file, shown)))
            }
        }
        var lists: [ListFiles.File] = []
        for member in tree.object?["lists"]?.object?.members ?? [] {
            lists.append(
                ListFiles.File(
                    name: member.key, path: try Package.inside(folder, member.value, shown)))
        }
        areKept = tree.object?["kept"] == .bool(true)
        self.lists = lists
        self.forms = forms
        self.data = data
        let folder = folder
        views = try tree.object?["views"].map { tree throws(Problem) in
            try Package.inside(folder, tree, shown)
        }
    }

    /// A problem with one of its files, by the name under which its user finds it.
    func named(_ problem: Problem) -> Problem {
        unpacked == nil ? problem : Self.named(problem, folder, archive)
    }

    private static func named(
        _ problem: Problem, _ folder: String, _ archive: String
    ) -> Problem {
        var problem = problem
        problem.detail = problem.detail.replacing(folder, with: "\(archive), ")
        return problem
    }

    /// A file of JSON in it.
    static func tree(of path: String) throws(Problem) -> JSONValue {
        guard access(path, F_OK) == 0 else {
            throw Problem(
                .fileUnreadable, "there is no \(path)",
                hint: "A package is a folder with a package.json, or a .zip of one.")
        }
        let text = try InputFile(path).json(limit: ControlLimits.bodyBytes)
        do {
            return try JSONValue(text: text)
        } catch {
            throw Problem(.badFile, "\(path): \(error)", hint: "It is one JSON object.")
        }
    }

    /// The folder in which its package.json lies: file managers put one around all of it.
    private static func unpack(_ path: String, into scratch: String) throws(Problem) -> String {
        let answer = try FormHelper.unpack(path, into: scratch)
        let names = (answer["files"]?.array ?? []).compactMap { $0.object?["name"]?.string }
        if names.contains("package.json") { return scratch + "/" }
        let inner = names.filter { $0.hasSuffix("/package.json") && $0.count { $0 == "/" } == 1 }
        guard inner.count == 1, let found = inner.first else {
            throw Problem(
                .badFile, "\(path) has no package.json",
                hint: "An archive has it at its top, or in the one folder there.")
        }
        return "\(scratch)/\(found.dropLast("package.json".count))"
    }

    /// The path of a file within the folder, which has to be there. A package of somebody else could
    /// else share any file of its user.
    private static func inside(
        _ folder: String, _ tree: JSONValue, _ path: String
    ) throws(Problem) -> String {
        guard let text = tree.string, !text.isEmpty, !text.hasPrefix("/"), !text.contains("\0"),
            !text.split(separator: "/").contains(".."),
            !FolderBounds(folder).isLeft(by: folder + text)
        else {
            throw Problem(
                .badFile, "\(path): \(tree.string ?? tree.kind) is no file within the folder",
                hint: "Name files as forms/visit.json.")
        }
        guard access(folder + text, R_OK) == 0 else {
            throw Problem(
                .badFile, "\(path) names \(text): \(String(cString: strerror(errno)))",
                hint: "Put the file there, or take its name out of package.json.")
        }
        return folder + text
    }
}
