/// The HTTP header fields of the control API's own.
package enum ControlHeader {
    /// On every answer: the daemon's release, as in `version`.
    package static let version = "Shared-Version"
    /// On any answer, any number of times: something the user should know, as percent-encoded UTF-8.
    package static let notice = "Shared-Notice"
}
