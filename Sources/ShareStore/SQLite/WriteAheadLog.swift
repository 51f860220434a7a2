import Glibc

/// The write-ahead log beside a file that nobody has open, as SQLite's file format describes it.
///
/// SQLite takes it up to the first page that is not right and says nothing, as a power cut may have
/// left its end torn. But each commit is on the disk before the next one begins: where another one
/// begins behind a commit that follows the page, what was there is lost.
enum WriteAheadLog {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// Whether commits that were on the disk lie behind a page that is not as it was written. What
    /// cannot be read is told by who opens the file.
    static func isDamaged(of path: String) -> Bool {
        guard let file = fopen(path + "-wal", "re") else { return false }
        defer { fclose(file) }
        guard let header = bytes(headerBytes, of: file) else { return false }
        let magic = number(header, 0)
        let page = Int(number(header, 8))
        guard magic & ~1 == 0x377f_0682, (512...65_536).contains(page) else { return false }
        let salts = header[16..<24]
        var sum = Checksum(isBigEndian: magic & 1 == 1)
        sum.add(header[..<24])
        var hasBad = sum.ends != (number(header, 24), number(header, 28))
        var hasCommitBehind = false
        while let frame = bytes(frameHeaderBytes + page, of: file) {
            // Frames of the log before this one have other salts.
            let isOfThisLog = frame[8..<16].elementsEqual(salts)
            guard hasBad else {
                sum.add(frame[..<8])
                sum.add(frame[frameHeaderBytes...])
                hasBad = !isOfThisLog || sum.ends != (number(frame, 16), number(frame, 20))
                continue
            }
            guard isOfThisLog else { continue }
            if hasCommitBehind { return true }
            hasCommitBehind = number(frame, 4) != 0
        }
        return false
    }

    /// Nil where there are not so many any more.
    private static func bytes(_ count: Int, of file: UnsafeMutablePointer<FILE>) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return fread(&bytes, 1, count, file) == count ? bytes : nil
    }

    private static func number(_ bytes: [UInt8], _ start: Int) -> UInt32 {
        bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The sums over all frames so far.
    private struct Checksum {
        let isBigEndian: Bool
        var ends: (UInt32, UInt32) = (0, 0)

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { words in
                for start in stride(from: 0, to: words.count - 7, by: 8) {
                    ends.0 &+= word(words, start) &+ ends.1
                    ends.1 &+= word(words, start + 4) &+ ends.0
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
    }
}
