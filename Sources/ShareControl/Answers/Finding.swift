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
