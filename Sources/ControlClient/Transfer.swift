internal import CCurl
internal import ShareControl
import Glibc

/// One request and its answer while libcurl works on them; its callbacks come here.
final class Transfer {
    /// A problem object or what stands in its place is kept up to this many bytes.
    private static let longestErrorBody = 1 << 20

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var errorBody: [UInt8] = []
    /// What a callback threw; libcurl only hears that it should stop.
    private(set) var failure: Problem?
    /// Whether the receiver had enough.
    private(set) var isStopped = false

    private let body: ControlRequest.Body
    private let receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool

    init(
        body: ControlRequest.Body,
        receive: @escaping (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) {
        self.body = body
        self.receive = receive
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// All values of a header field.
    func values(of name: String) -> [String] {
        headers.filter { $0.name == name.lowercased() }.map(\.value)
    }

    /// Hands this object to libcurl, which calls back only within `body`.
    func attach(to handle: CurlHandle, _ body: () -> CURLcode) throws(Problem) -> CURLcode {
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_XFERINFODATA,
        ] {
            try handle.set(option, pointer: context)
        }
        try handle.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.of(context)?.written(bytes, size * count) ?? 0
        }
        try handle.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.of(context)?.header(bytes, size * count) ?? 0
        }
        try handle.set(CURLOPT_READFUNCTION) { bytes, size, count, context in
            Transfer.of(context)?.read(bytes, size * count) ?? ccurl_read_abort()
        }
        try handle.setProgress { _, _, _, _, _ in Interruption.isRequested ? 1 : 0 }
        return withExtendedLifetime(self) { body() }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func written(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        guard isSuccess else {
            guard errorBody.count + count <= Self.longestErrorBody else { return 0 }
            errorBody.append(contentsOf: bytes)
            return count
        }
        do throws(Problem) {
            if try receive(bytes) { return count }
            isStopped = true
        } catch {
            failure = error
        }
        // Any other number than `count` ends the transfer; 0 bytes were not offered.
        return count == 0 ? 1 : 0
    }

    private func header(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let raw = UnsafeRawBufferPointer(start: bytes, count: count)
        let line = String(decoding: raw, as: UTF8.self)
            .trimmingSuffix { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }
        if line.hasPrefix("HTTP/") {
            // A new head (after 100 Continue) replaces the one before.
            let parts = line.split(separator: " ", maxSplits: 2)
            status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            headers.removeAll()
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append((line[..<colon].lowercased(), String(value)))
        }
        return count
    }

    private func read(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard case .stream(_, _, let read) = body else { return 0 }
        do throws(Problem) {
            return try read(UnsafeMutableRawBufferPointer(start: bytes, count: count))
        } catch {
            failure = error
            return ccurl_read_abort()
        }
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> String {
        var end = endIndex
        while end > startIndex, matches(self[index(before: end)]) { end = index(before: end) }
        return String(self[..<end])
    }
}
