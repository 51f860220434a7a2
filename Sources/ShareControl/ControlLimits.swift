/// Bounds that both ends of the control API keep.
package enum ControlLimits {
    /// The longest path of a Unix socket: `sun_path` is 108 bytes with its zero.
    package static let socketPathBytes = 107
    /// The largest request body that is not streamed: a form definition with its lists.
    package static let bodyBytes = 4 << 20
    /// The longest path of a request with what it asks for, in bytes as they are sent.
    package static let targetBytes = 24 << 10
    /// The most conditions of a request: the server keeps some 64 bytes of each, beside its text.
    package static let conditions = 256
    /// What the server keeps of a connection, in bytes: as much as a request may have, and some space
    /// for its headers.
    package static let connectionBytes = 64 << 10
    /// The bytes of all notices of an answer, as they are sent: who reads the head of an answer
    /// takes no more. A single one has an eighth of it at most, before it is encoded.
    package static let noticeBytes = 8 << 10
    /// The byte after which a streamed answer that breaks off says why, as a `Problem`.
    package static let problemMark: UInt8 = 0x1e
    /// The longest problem that a streamed answer breaks off with, in bytes.
    package static let problemBytes = 16 << 10
    /// A stream of events sends an empty line at least this often, so that both ends notice.
    package static let keepAlive = Duration.seconds(10)
    /// A client of a stream gives up after this long without a byte.
    package static let silence = Duration.seconds(35)
    /// The longest time, in milliseconds, that `push` and `sync` wait.
    package static let waitMilliseconds = 3_600_000
    /// The longest life of an invite, in seconds: 30 days.
    package static let inviteSeconds = 30 * 86_400
    /// Most places listed in a problem's `errors` or an import's `rejected`.
    package static let rowErrors = 100
    /// Most choices of one field in the state of an entry.
    package static let choices = 50
}

/// The HTTP header fields of the control API's own.
package enum ControlHeader {
    /// On every answer: the daemon's release, as in `version`.
    package static let version = "Shared-Version"
    /// On any answer, any number of times: something the user should know, as percent-encoded UTF-8.
    package static let notice = "Shared-Notice"
}

/// The name and version of this build.
package enum Release {
    package static let version = "0.1.0"
    /// The version of the control API.
    package static let controlAPI = 1
}
