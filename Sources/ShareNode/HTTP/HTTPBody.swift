/// What a request carries.
package enum HTTPBody: Sendable {
    /// All of it, read before the handler starts.
    case collected([UInt8])
    /// Pieces that arrive while the handler runs.
    case streamed(HTTPUpload)
}
