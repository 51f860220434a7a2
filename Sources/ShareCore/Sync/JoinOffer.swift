package import ShareCrypto

/// What an inviter brings to an exchange about one of its invites.
package struct JoinOffer: Hashable, Sendable {
    let secret: JoinSecret
    let use: InviteUse?
    let welcome: JoinWelcome

    /// - Parameters:
    ///   - joiner: The key of the device at the other end.
    ///   - founding: The founding batch of the invite's room, verbatim.
    ///   - name: What the room is called now.
    /// - Returns: Nil if the founding batch or the name is too long to be sent.
    package init?(_ invite: Invite, for joiner: DeviceKey, founding: [UInt8], name: String) {
        guard founding.count <= JoinLimits.foundingBatch, name.utf8.count <= Limits.roomName else {
            return nil
        }
        secret = invite.code.secret
        use = invite.usedBy[joiner]
        welcome = JoinWelcome(room: invite.room, founding: founding, name: name, role: invite.role)
    }
}
