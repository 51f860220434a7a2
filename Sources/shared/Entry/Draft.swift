internal import JSON
internal import ShareControl
import Glibc

/// An entry that somebody has begun and not saved.
struct Draft: Codable, Hashable, Sendable {
    var id: String
    var room: String
    var form: String
    /// The entry that it changes; nil for a new one.
    var record: String?
    /// What people call that entry.
    var name: String?
    /// What a new entry says of itself so far.
    var about: String?
    /// In which it is asked; nil for the form's own.
    var language: String?
    var values: JSONObject
    /// Of an entry that is changed: the answers that it had when its author saw them.
    var seen: JSONObject?
    /// The path of the question where it was left.
    var place: String?
    /// Milliseconds since 1970.
    var at: Int

    /// Whether people call the entry so: one of its answers is that, as its key is; or what a list of
    /// drafts says of it is, or begins so.
    ///
    /// - Parameter text: in lower case.
    fileprivate func isCalled(_ text: String) -> Bool {
        if values.members.contains(where: { $0.value.string?.lowercased() == text }) { return true }
        if name?.lowercased().split(separator: " ").contains(where: { $0 == text }) == true {
            return true
        }
        guard let about = about?.lowercased(), about.hasPrefix(text) else { return false }
        return about.dropFirst(text.count).first.map { " ,".contains($0) } ?? true
    }
}

/// The folder of the drafts of whoever uses this command: `shared/drafts` in `XDG_STATE_HOME`.
///
/// Not the daemon's: what is not saved is nobody's but its author's, and must be there also where
/// the daemon is what went away. Files can be read by their owner alone.
struct DraftFolder {
    private static let longestFile = 4 << 20

    let path: String

    /// - Throws: `Problem` where neither `XDG_STATE_HOME` nor `HOME` says where it is.
    init() throws(Problem) {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        if let state = value("XDG_STATE_HOME") {
            path = state + "/shared/drafts"
        } else if let home = value("HOME") {
            path = home + "/.local/state/shared/drafts"
        } else {
            throw Problem(
                .fileUnwritable, "there is no place for drafts", hint: "Set HOME, then try again.")
        }
    }

    /// An id that no draft here has.
    func newID() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        while true {
            let id = String((0..<4).compactMap { _ in letters.randomElement() })
            if access(file(id), F_OK) != 0 { return id }
        }
    }

    /// Puts it there as a whole, in place of an older one of its id.
    func save(_ draft: Draft) throws(Problem) {
        var folder = ""
        for part in path.split(separator: "/") {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
        let temporary = "\(path)/.\(draft.id).\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable() }
        let output = Output(descriptor: descriptor)
        output.line(draft.jsonText)
        do {
            try output.finish()
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        close(descriptor)
        guard rename(temporary, file(draft.id)) == 0 else { throw unwritable() }
    }

    /// The draft of that id.
    func load(_ id: String) throws(Problem) -> Draft {
        let all = all()
        return try only(all.filter { $0.id == id.lowercased() }, among: all, called: id)
    }

    /// The draft of that id, else the one of a new entry that is called so.
    ///
    /// - Parameter form: the beginning of its form's id, where that is said.
    func find(_ text: String, of form: String?) throws(Problem) -> Draft {
        let all = all().filter { $0.form.lowercased().hasPrefix(form?.lowercased() ?? "") }
        let wanted = text.lowercased()
        let found = all.filter { $0.id == wanted }
        return try only(
            found.isEmpty ? all.filter { $0.isCalled(wanted) } : found, among: all, called: text)
    }

    private func only(
        _ found: [Draft], among all: [Draft], called text: String
    ) throws(Problem) -> Draft {
        if found.count == 1 { return found[0] }
        let ids = (found.isEmpty ? all : found).map(\.id).joined(separator: ", ")
        throw Problem(
            .fileUnreadable,
            found.isEmpty
                ? "there is no draft \"\(text)\""
                : "\(found.count) drafts are called \"\(text)\"",
            hint: all.isEmpty ? "None is kept here." : "There are: \(ids).")
    }

    /// All that can be read, the latest first.
    func all() -> [Draft] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var drafts: [Draft] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), name.hasSuffix(".json"),
                let bytes = try? InputFile("\(path)/\(name)").contents(limit: Self.longestFile),
                let draft = try? Draft(jsonText: bytes)
            else { continue }
            drafts.append(draft)
        }
        return drafts.sorted { ($0.at, $0.id) > ($1.at, $1.id) }
    }

    func remove(_ id: String) { unlink(file(id)) }

    private func file(_ id: String) -> String { "\(path)/\(id).json" }

    private func unwritable() -> Problem {
        Problem(
            .fileUnwritable, "cannot write \(path): \(String(cString: strerror(errno)))",
            hint: "See who owns it and how full the disk is: `ls -ld`, `df`.")
    }
}
