package import JSON

/// One choice of a list.
package struct Choice: Hashable, Sendable {
    /// What is stored.
    package let name: String
    /// What people read; empty where the name is all there is.
    package let label: LocalizedText
    /// The other columns of the list (a parent, a code), as the form has them.
    package let columns: [JSONObject.Member]

    package init(name: String, label: LocalizedText = .none, columns: [JSONObject.Member] = []) {
        self.name = name
        self.label = label
        self.columns = columns
    }
}
