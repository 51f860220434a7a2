import Glibc

/// What the process takes of the machine.
enum ProcessFigures {
    /// One line: resident and private memory in KiB, threads, and open descriptors.
    static var line: String {
        let status = text(of: "/proc/self/status")
        let rollup = text(of: "/proc/self/smaps_rollup")
        let own =
            (number("Private_Clean:", in: rollup) ?? 0)
            + (number("Private_Dirty:", in: rollup) ?? 0)
        return "memory resident=\(number("VmRSS:", in: status) ?? 0) private=\(own)"
            + " threads=\(number("Threads:", in: status) ?? 0)"
    }

    private static func number(_ key: String, in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix(key) }?
            .split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
                Int($0)
            }
    }

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
