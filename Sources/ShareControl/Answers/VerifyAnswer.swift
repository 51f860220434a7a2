package import JSON

/// The result of `verify`.
package struct VerifyAnswer: JSONConvertible {
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

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        ok = try object.get("ok")
        findings = try object.get("findings")
        batches = try object.get("batches")
        records = try object.get("records")
        digest = try object.get("digest")
        forks = try object.find("forks") ?? []
    }

    package var json: JSONValue {
        [
            "ok": ok.json, "findings": findings.json, "batches": batches.json,
            "records": records.json, "digest": digest.json, "forks": forks.json,
        ]
    }
}
