/// The result of `verify`.
package struct VerifyAnswer: Codable, Hashable, Sendable {
    package var ok: Bool
    package var findings: [Finding]
    package var batches: Int
    package var records: Int
    package var digest: String
    /// Logs that have forked: no fault of the file, and nothing is lost by it.
    package var forks: [DeviceFault]

    package init(
        ok: Bool, findings: [Finding], batches: Int, records: Int, digest: String,
        forks: [DeviceFault] = []
    ) {
        self.ok = ok
        self.findings = findings
        self.batches = batches
        self.records = records
        self.digest = digest
        self.forks = forks
    }
}

/// Something that `verify` found wrong.
package struct Finding: Codable, Hashable, Sendable {
    /// Where in the file, by the names that its tables have.
    package var place: String
    /// Of a cause, a sentence that says it all.
    package var what: String
    package var hint: String?
    /// Whether it is no cause: a table, an index or a note that is not what the batches come to.
    package var follows: Bool
    /// How many findings it stands for; more than 1 for those that are not listed.
    package var count: Int

    package init(
        place: String, what: String, hint: String? = nil, follows: Bool = false, count: Int = 1
    ) {
        self.follows = follows
        self.count = count
        self.place = place
        self.what = what
        self.hint = hint
    }

    private enum CodingKeys: String, CodingKey {
        case place = "where"
        case what
        case hint
        case follows
        case count
    }
}

/// The result of `rebuild`.
package struct RebuildAnswer: Codable, Hashable, Sendable {
    package var batches: Int
    package var records: Int
    package var digest: String
    /// Whether the tables are other than they were, or the file had to be made anew.
    package var changed: Bool
    /// Where the file is kept as it was, if something in it could not be read; nil if not.
    package var kept: String?
    /// Entries and changes that were made here, not sent, and are lost; nil if none are.
    package var lost: LostAnswer?
    /// Whether nothing is sent before members have given back what was lost.
    package var refilling: Bool

    package init(
        batches: Int, records: Int, digest: String, changed: Bool, kept: String? = nil,
        lost: LostAnswer? = nil, refilling: Bool
    ) {
        self.lost = lost
        self.refilling = refilling
        self.batches = batches
        self.records = records
        self.digest = digest
        self.changed = changed
        self.kept = kept
    }
}

/// Entries and changes of this device that were not sent and cannot be read any more.
package struct LostAnswer: Codable, Hashable, Sendable {
    /// Entries and changes, at least.
    package var count: Int
    /// Those that are known by name, the first hundred.
    package var entries: [LostEntry]

    package init(count: Int, entries: [LostEntry]) {
        self.count = count
        self.entries = entries
    }
}

/// An entry that is lost, or a change of it.
package struct LostEntry: Codable, Hashable, Sendable {
    package var form: String
    package var id: String

    package init(form: String, id: String) {
        self.form = form
        self.id = id
    }
}

/// The answer of `doctor`.
package struct DoctorAnswer: Codable, Hashable, Sendable {
    /// Whether no check failed.
    package var ok: Bool
    package var checks: [DoctorCheck]

    package init(ok: Bool, checks: [DoctorCheck]) {
        self.ok = ok
        self.checks = checks
    }
}

/// One check of `doctor`.
package struct DoctorCheck: Codable, Hashable, Sendable {
    package var name: String
    /// `ok`, `warning`, `failed` or `skipped`; `info` for figures that were asked for.
    package var state: String
    package var detail: String
    package var hint: String?

    package init(name: String, state: String, detail: String, hint: String? = nil) {
        self.name = name
        self.state = state
        self.detail = detail
        self.hint = hint
    }
}

/// The body of `POST /v1/ping`.
package struct PingRequest: Codable, Hashable, Sendable {
    /// A device's name or id, or the beginning of its id.
    package var device: String

    package init(device: String) {
        self.device = device
    }
}

/// The answer to `ping`.
package struct PingAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    /// HOST:PORT of the other end.
    package var address: String?
    /// How long each answer took.
    package var milliseconds: [Double]
    /// How many answers were asked for.
    package var sent: Int

    package init(device: NamedDevice, address: String?, milliseconds: [Double], sent: Int) {
        self.device = device
        self.address = address
        self.milliseconds = milliseconds
        self.sent = sent
    }
}
