import Glibc

/// Time and memory of one step, for people to read.
enum Measure {
    static func seconds<R>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
    ) async rethrows -> (result: R, seconds: Double, cpu: Double) {
        let start = ContinuousClock.now
        let before = cpu
        let result = try await body()
        let time = start.duration(to: .now).components
        return (result, Double(time.seconds) + Double(time.attoseconds) / 1e18, cpu - before)
    }

    static func line(_ what: String, _ value: String) {
        print(what + String(repeating: " ", count: max(52 - what.count, 1)) + value)
    }

    /// Says how long a step took, and what CPU time of all threads it used.
    static func rate(_ what: String, _ count: Int, _ seconds: Double, _ cpu: Double) {
        line(
            what,
            "\(Int(Double(count) / seconds)) records/s, \(text(seconds)) s, "
                + "\(text(cpu / Double(count) * 1e6)) us CPU/record")
    }

    /// Seconds that all threads of the process have used.
    static var cpu: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func text(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let rest = "\(thousandths % 1_000)"
        return "\(thousandths / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    /// The most memory resident since the last call, in MB; the count begins again.
    static func peak() -> Int {
        defer {
            if let file = fopen("/proc/self/clear_refs", "w") {
                fputs("5", file)
                fclose(file)
            }
        }
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("VmHWM:") else { continue }
            return (Int(text.filter(\.isNumber)) ?? 0) / 1_024
        }
        return 0
    }
}
