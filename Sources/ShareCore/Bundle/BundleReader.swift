import ShareCrypto

/// Takes a bundle apart as it comes, holding one item at a time (docs/protocol/bundle.md).
///
/// Everything in it is as the writer, or whoever had the file in hand, left it: a batch proves
/// itself, the rest proves nothing before the end.
package struct BundleReader {
    /// The meaning of the next bytes.
    package enum Step: Sendable {
        case item(BundleItem)
        /// The item at this offset is none; the next one may be.
        case damaged(UInt64, CBORError)
    }

    private var buffer: [UInt8] = []
    /// Where the next item begins in `buffer`, and in the file.
    private var start = 0
    private var offset: UInt64 = 0
    private let hash = RunningHash()
    private var batches: UInt64 = 0
    private var writer: DeviceKey?
    private var hasBegun = false
    /// Whether all of the file was read, and it is as it was written.
    package private(set) var isComplete = false

    package init() {}

    /// Adds bytes; `next` then gives what they complete.
    package mutating func append(_ bytes: [UInt8]) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next item; nil where more bytes are needed for it, or nothing follows.
    ///
    /// - Throws: `BundleError`; nothing more can be read then.
    package mutating func next() throws(BundleError) -> Step? {
        if !hasBegun {
            guard try readMagic() else { return nil }
            hasBegun = true
        }
        guard !isComplete else {
            guard start == buffer.count else { throw .trailing(offset) }
            return nil
        }
        guard buffer.count - start >= BundleReader.lengthBytes else { return nil }
        let length = buffer[start..<start + BundleReader.lengthBytes].reduce(0) {
            $0 << 8 | Int($1)
        }
        guard (1...BundleLimits.item).contains(length) else { throw .length(offset) }
        let total = BundleReader.lengthBytes + length
        guard buffer.count - start >= total else { return nil }
        let frame = buffer[start..<start + total]
        let at = offset
        start += total
        offset += UInt64(total)
        let item: BundleItem
        do throws(CBORError) {
            item = try BundleItem(encoded: Array(frame.dropFirst(BundleReader.lengthBytes)))
        } catch {
            guard writer != nil else { throw .noHeader }
            hash.append(frame)
            return .damaged(at, error)
        }
        try take(item, frame, at)
        return .item(item)
    }

    /// Ends the reading.
    ///
    /// - Throws: `BundleError.cutOff` where the end has not come.
    package func finish() throws(BundleError) {
        guard hasBegun || !buffer.isEmpty else { throw .notABundle }
        guard isComplete else { throw .cutOff(offset) }
        guard start == buffer.count else { throw .trailing(offset) }
    }

    private static let lengthBytes = 4

    private mutating func readMagic() throws(BundleError) -> Bool {
        let magic = BundleLimits.magic
        guard buffer.starts(with: magic.prefix(buffer.count)) else { throw .notABundle }
        guard buffer.count >= magic.count else { return false }
        start = magic.count
        offset = UInt64(magic.count)
        hash.append(magic)
        return true
    }

    private mutating func take(
        _ item: BundleItem, _ frame: ArraySlice<UInt8>, _ at: UInt64
    ) throws(BundleError) {
        switch item {
        case .header(let header):
            guard writer == nil else { throw .misplaced(at) }
            writer = header.writer
        case .end(let stated, let digest, let signature):
            guard let writer else { throw .noHeader }
            guard digest == hash.digest() else { throw .hash }
            guard stated == batches else { throw .count(stated: stated, found: batches) }
            guard Signature.isValid(signature, of: BundleWriter.signed(digest), by: writer) else {
                throw .signature
            }
            isComplete = true
            return
        case .batch: batches += 1
        case .device, .request, .state: break
        }
        guard writer != nil else { throw .noHeader }
        hash.append(frame)
    }
}

/// Why a bundle cannot be read on from some place. What came before it stands.
package enum BundleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin as a bundle does.
    case notABundle
    /// It begins with something else than a header.
    case noHeader
    /// A second header, at this offset.
    case misplaced(UInt64)
    /// The length of the item at this offset cannot be one.
    case length(UInt64)
    /// The file ends within or before the item at this offset.
    case cutOff(UInt64)
    /// Bytes follow after the end, from this offset on.
    case trailing(UInt64)
    /// The end says so many batches, and there were others.
    case count(stated: UInt64, found: UInt64)
    /// The bytes are not those that the end states the hash of.
    case hash
    /// The end is not signed by the device that the header names.
    case signature

    package var description: String {
        switch self {
        case .notABundle: "it is no bundle"
        case .noHeader: "it has no header"
        case .misplaced(let offset): "it begins again at byte \(offset)"
        case .length(let offset): "the length at byte \(offset) is none"
        case .cutOff(let offset): "it breaks off after byte \(offset)"
        case .trailing(let offset): "something follows its end, from byte \(offset) on"
        case .count(let stated, let found): "it says \(stated) batches and holds \(found)"
        case .hash: "its bytes are not those that were written"
        case .signature: "it is not signed by the device that it names"
        }
    }
}

/// The bounds of a bundle (docs/protocol/bundle.md, "Limits").
package enum BundleLimits {
    /// The first bytes of the file: `head -1` shows what it is.
    package static let magic = Array("shared bundle 1\n".utf8)
    /// The media type of a bundle.
    package static let mediaType = "application/vnd.shared.bundle"
    /// Bytes of one item without its length.
    package static let item = 2 << 20
    /// Bytes of the name of a device, as in `hello`.
    package static let deviceName = 63
    /// Requests to join that a reader looks at in one file.
    package static let requests = 16
    /// Batches that are none, after which a reader gives up.
    package static let damaged = 1_000
    /// Characters of a device's id that an owner must have compared before admitting it.
    package static let comparedCharacters = 16
}
