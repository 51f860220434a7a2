/// What this build calls itself.
package enum Release {
    package static let version = "0.1.0"
    /// The version of the control API.
    package static let controlAPI = 1
}
