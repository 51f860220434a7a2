import ShareCore
import ShareCrypto

/// A small language for the control logs of a room, one batch a line:
///
///     A1 founds
///     A2 grants B owner; grants C editor from 3
///     B1 removes C covering C1 Cr5 after A2.1
///     B2'<B1 leaves covering B1
///     B3 grants D collector in x y
///
/// `R` is the room's recovery key. A label is a device's letter, the batch's number, and a suffix where branches differ; it is
/// the batch's id too, so lines may name batches of lines further down, or of none. `Cr5` is a
/// batch of a records log, `C1#7` a head that gives a batch another number. An operation is named
/// by its batch and, if not the first, its place.
struct AuthorityHistory {
    let batches: [ControlBatch]

    static let room = RoomID(id("A1").digest)

    init(_ text: String) { self.init(text.split(separator: "\n").map(String.init)) }

    init(_ lines: [String]) {
        batches = lines.compactMap { line in
            let line = line.drop { $0 == " " }
            guard let space = line.firstIndex(of: " ") else { return nil }
            return Self.batch(String(line[..<space]), String(line[line.index(after: space)...]))
        }
    }

    static func authority(_ text: String) -> Authority { AuthorityHistory(text).authority }
    var authority: Authority { Authority(room: Self.room, batches: batches) }

    static func key(_ letter: some StringProtocol) -> DeviceKey {
        DeviceKey(Bytes32(padded(String(letter))) ?? .zero)
    }

    static func id(_ label: some StringProtocol) -> BatchID {
        BatchID(Digest(Bytes32(padded(String(label))) ?? .zero))
    }

    static func head(_ label: some StringProtocol) -> LogHead {
        let parts = label.split(separator: "#")
        let digits = parts[0].drop { !$0.isNumber }.prefix { $0.isNumber }
        let number = UInt64(parts.count > 1 ? parts[1] : digits) ?? 0
        return LogHead(number: number, batch: id(parts[0]))
    }

    static func name(_ text: some StringProtocol) -> OperationName {
        let parts = text.split(separator: ".")
        return OperationName(batch: id(parts[0]), index: parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    }

    /// The label that an id was made from.
    static func label(_ batch: BatchID) -> String {
        String(decoding: batch.bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func padded(_ text: String) -> [UInt8] {
        Array((Array(text.utf8) + [UInt8](repeating: 0, count: 32)).prefix(32))
    }

    private static func batch(_ label: String, _ text: String) -> ControlBatch {
        let parts = label.split(separator: "<").map(String.init)
        let head = head(parts[0])
        let author = String(parts[0].prefix(1))
        let previous = parts.count > 1 ? parts[1] : "\(author)\(max(head.number, 1) - 1)"
        let entries = text.split(separator: ";").enumerated().map { place, words in
            ControlBatch.Entry(
                index: place,
                operation: operation(words.split(separator: " ").map(String.init), author))
        }
        return ControlBatch(
            author: key(author), head: head, previous: id(previous), entries: entries)
    }

    private static func operation(_ words: [String], _ author: String) -> ControlOperation {
        var heads: (control: [LogHead], records: [LogHead]) = ([], [])
        var after: [OperationName] = []
        var from: UInt64 = 1
        var forms: [Scope.Form] = []
        var reading = ""
        for word in words {
            switch (word, reading) {
            case ("covering", _), ("after", _), ("from", _), ("in", _): reading = word
            case (_, "covering"):
                if word.contains("r") {
                    heads.records.append(head(word))
                } else {
                    heads.control.append(head(word))
                }
            case (_, "after"): after.append(name(word))
            case (_, "from"): from = UInt64(word) ?? 1
            case (_, "in"): forms.append(Scope.Form(id: word))
            default: break
            }
        }
        let covered = CoveredHeads(control: heads.control.sorted(), records: heads.records.sorted())
        let subject = words.count > 1 ? key(words[1]) : key(author)
        let role = words.count > 2 ? Role(name: words[2]) ?? .viewer : .viewer
        let scope = forms.isEmpty || !role.takesScope ? nil : Scope(forms: forms)
        switch words[0] {
        case "founds":
            return .found(
                Founding(
                    name: "room", nonce: [UInt8](repeating: 7, count: 16), isOpen: false,
                    recovery: key("R")))
        case "grants":
            return .grant(
                Grant(
                    subject: subject, role: role, scope: scope, firstControl: from,
                    firstRecords: from, supersedes: after))
        case "makes":
            return .roleChange(
                RoleChange(
                    subject: subject, role: role, scope: scope, heads: covered, supersedes: after))
        case "removes":
            return .removal(
                Removal(subject: subject, heads: covered, supersedes: after, reason: "lost"))
        case "leaves":
            return .removal(
                Removal(subject: key(author), heads: covered, supersedes: after, reason: ""))
        case "accepts": return .accept(Acceptance(subject: subject, heads: covered))
        case "opens": return .set(Setting(key: Authority.openSetting, value: "yes", parents: []))
        default:
            return .list(ListDefinition(name: words[0], parents: [], columns: ["name"], parts: []))
        }
    }
}
