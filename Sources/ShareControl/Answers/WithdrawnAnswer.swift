/// The answer to `withdraw`: the invite as it is now, and whether there was anything to end.
package struct WithdrawnAnswer: Codable, Hashable, Sendable {
    package var invite: InviteStatus
    /// Whether the invite had ended before, by itself or by an earlier `withdraw`.
    package var hadEnded: Bool

    package init(invite: InviteStatus, hadEnded: Bool) {
        self.invite = invite
        self.hadEnded = hadEnded
    }

    private enum CodingKeys: CodingKey { case hadEnded }

    package init(from decoder: any Decoder) throws {
        invite = try InviteStatus(from: decoder)
        hadEnded = try decoder.container(keyedBy: CodingKeys.self).decode(
            Bool.self, forKey: .hadEnded)
    }

    /// The members of the invite and one more.
    package func encode(to encoder: any Encoder) throws {
        try invite.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hadEnded, forKey: .hadEnded)
    }
}
