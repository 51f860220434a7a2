/// A record that was changed on several sides, unseen by each other, all of which stands.
package struct ParallelAnswer: Codable, Hashable, Sendable {
    package var record: String
    package var creator: String
    package var form: String
    /// Oldest first.
    package var branches: [ParallelBranch]

    package init(record: String, creator: String, form: String, branches: [ParallelBranch]) {
        self.record = record
        self.creator = creator
        self.form = form
        self.branches = branches
    }
}
