/// How far a connected peer and this device are apart.
package struct PeerDifference: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    /// Operations that they lack.
    package var behind: Int
    /// Operations that we lack.
    package var ahead: Int
    /// Whether the merged states differ although both hold the same batches.
    package var digestDiffers: Bool
    /// Whether it has not told yet what it holds.
    package var isUnheard: Bool

    package init(
        id: String, name: String, behind: Int, ahead: Int, digestDiffers: Bool,
        isUnheard: Bool = false
    ) {
        self.isUnheard = isUnheard
        self.id = id
        self.name = name
        self.behind = behind
        self.ahead = ahead
        self.digestDiffers = digestDiffers
    }
}
