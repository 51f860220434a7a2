/// A peer at the end of `sync`.
package struct SyncPeer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var identical: Bool
    /// `identical`, `comparing`, `differs`, `unheard` (it has not told what it holds),
    /// `digest_differs`, or `gone`: it was connected when it began, and is no more.
    package var state: String
    /// Operations that they lack.
    package var behind: Int
    /// Operations that we lack.
    package var ahead: Int

    package init(id: String, name: String, state: String, behind: Int, ahead: Int) {
        identical = state == "identical"
        self.state = state
        self.id = id
        self.name = name
        self.behind = behind
        self.ahead = ahead
    }
}
