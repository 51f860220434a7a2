import Glibc
import ShareCore
import ShareCrypto
import ShareStore

/// Measures the store alone: what a change of authority costs, and a rebuild. It prints figures
/// and judges none.
@main
enum StoreBench {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let counts = arguments.compactMap { Int($0) }
        guard counts.count == arguments.count else {
            let usage = "usage: store-bench [RECORDS [MEMBERS...]]\n"
            _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(2)
        }
        var template = Array("/tmp/store-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            perror("mkdtemp")
            exit(1)
        }
        let folder = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { remove(folder) }
        for members in counts.count > 1 ? Array(counts.dropFirst()) : [10, 100, 1_000] {
            try await AuthorityBench(folder: folder).run(members: members)
        }
        for role in [Role.collector, .editor, .owner] {
            try await FloodBench(folder: folder).run(role, batches: 10_000)
        }
        try await OneRecordBench(folder: folder).run(
            batches: 1_000, edits: Limits.operationsOnRecord)
        for flood in ControlFloodBench.Flood.allCases {
            try await ControlFloodBench(folder: folder).run(flood)
        }
        try await RemovalBench(folder: folder).run(records: counts.first ?? 1_000_000)
    }

    private static func remove(_ folder: String) {
        guard let open = opendir(folder) else { return }
        while let entry = readdir(open) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink(folder + "/" + name)
        }
        closedir(open)
        rmdir(folder)
    }
}
