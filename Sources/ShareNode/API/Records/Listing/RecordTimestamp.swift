import ShareCore
import ShareStore

/// Moments as records show them: RFC 3339 in UTC, with milliseconds.
///
/// By hand, as a list of 100,000 records has 200,000 of them.
enum RecordTimestamp {
    private static let day: Int64 = 86_400_000

    /// Appends 24 characters such as `2026-11-21T09:30:00.125Z`.
    static func append(_ milliseconds: Int64, to bytes: inout [UInt8]) {
        let days = floorDivided(milliseconds, day)
        let time = milliseconds - days * day
        let (year, month, dayOfMonth) = CalendarText.date(ofDay: days)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
            var end = 24
            put("Z", 0, 0, before: &end, in: buffer)
            put(".", time % 1_000, 3, before: &end, in: buffer)
            put(":", time / 1_000 % 60, 2, before: &end, in: buffer)
            put(":", time / 60_000 % 60, 2, before: &end, in: buffer)
            put("T", time / 3_600_000, 2, before: &end, in: buffer)
            put("-", dayOfMonth, 2, before: &end, in: buffer)
            put("-", month, 2, before: &end, in: buffer)
            putDigits(year, 4, before: &end, in: buffer)
            bytes.append(contentsOf: UnsafeBufferPointer(buffer))
        }
    }

    static func text(_ milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        append(milliseconds, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The minute by the clock of this device: `2026-11-22 15:15`.
    static func local(_ milliseconds: Int64) -> String {
        text(milliseconds + LocalTime.offset(at: milliseconds)).prefix(16)
            .split(separator: "T").joined(separator: " ")
    }

    /// Reads what `append` writes; nil for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int64(byte) - 48
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), let fraction = number(20..<23)
        else { return nil }
        let time = ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
        let found =
            CalendarText.day(year: year, month: month, day: day) * RecordTimestamp.day + time
        // Separators and ranges are right if it reads back.
        return self.text(found).utf8.elementsEqual(bytes) ? found : nil
    }

    /// The same as a file has it: a spreadsheet may have left out, or rounded, the fraction of a
    /// second.
    static func inFile(_ text: String) -> ClosedRange<Int64>? {
        if let exact = milliseconds(text) { return exact...exact }
        guard text.utf8.count == 19,
            let whole = milliseconds(text.replacing(" ", with: "T") + ".000Z")
        else { return nil }
        return whole - 1_000...whole + 1_000
    }

    private static func floorDivided(_ a: Int64, _ b: Int64) -> Int64 {
        a >= 0 ? a / b : -((b - 1 - a) / b)
    }

    /// Writes a sign, and the last digits of a number behind it, from the right.
    private static func put(
        _ sign: Unicode.Scalar, _ value: Int64, _ digits: Int, before end: inout Int,
        in buffer: UnsafeMutableBufferPointer<UInt8>
    ) {
        putDigits(value, digits, before: &end, in: buffer)
        end -= 1
        buffer[end] = UInt8(ascii: sign)
    }

    private static func putDigits(
        _ value: Int64, _ digits: Int, before end: inout Int,
        in buffer: UnsafeMutableBufferPointer<UInt8>
    ) {
        var rest = value
        for _ in 0..<digits {
            end -= 1
            buffer[end] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
    }
}
