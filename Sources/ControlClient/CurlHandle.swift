internal import CCurl
internal import ShareControl

/// A libcurl easy handle, freed with this object. It belongs to one thread at a time.
final class CurlHandle {
    private let handle: UnsafeMutableRawPointer

    /// The result of starting libcurl, which is done once.
    private static let started = ccurl_start()

    init() throws(Problem) {
        guard Self.started == CURLE_OK, let handle = curl_easy_init() else {
            throw Problem(.internalError, "libcurl cannot be started")
        }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    /// Forgets all options; open connections stay.
    func reset() { curl_easy_reset(handle) }

    func perform() -> CURLcode { curl_easy_perform(handle) }

    /// The error number of the last failed system call.
    var systemError: Int32 { Int32(truncatingIfNeeded: ccurl_os_error(handle)) }

    func set(_ option: CURLoption, long value: Int) throws(Problem) {
        try check(ccurl_set_long(handle, option, value))
    }

    func set(_ option: CURLoption, offset value: Int64) throws(Problem) {
        try check(ccurl_set_offset(handle, option, curl_off_t(value)))
    }

    /// libcurl keeps a copy of the text.
    func set(_ option: CURLoption, text value: String) throws(Problem) {
        try check(ccurl_set_text(handle, option, value))
    }

    /// The pointer must stay good until the option is set again.
    func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(Problem) {
        try check(ccurl_set_pointer(handle, option, value))
    }

    func set(_ option: CURLoption, callback: ccurl_bytes_callback) throws(Problem) {
        try check(ccurl_set_bytes(handle, option, callback))
    }

    func setProgress(_ callback: ccurl_progress_callback) throws(Problem) {
        try check(ccurl_set_progress(handle, callback))
    }

    /// Sets an option to a copy of these bytes.
    func setCopiedBody(_ bytes: [UInt8]) throws(Problem) {
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes.count))
        let code = bytes.withUnsafeBytes { raw in
            ccurl_set_pointer(
                handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: raw.baseAddress))
        }
        try check(code)
    }

    private func check(_ code: CURLcode) throws(Problem) {
        guard code == CURLE_OK else {
            throw Problem(
                .internalError, "libcurl refuses an option: \(CurlHandle.message(code))")
        }
    }

    /// What libcurl calls this result.
    static func message(_ code: CURLcode) -> String {
        curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }
}
