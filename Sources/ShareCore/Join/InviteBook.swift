package import ShareCrypto

/// The invites of one device, and which of them are in an exchange just now.
///
/// A value without I/O: each change returns the invite to be stored, and whoever holds the book
/// stores it before acting on the change.
package struct InviteBook: Sendable {
    private var invites: [JoinSelector: Invite] = [:]
    private var inExchange: Set<JoinSelector> = []

    /// The book as the store has kept it.
    package init(_ stored: [Invite] = []) {
        for invite in stored { invites[invite.code.selector] = invite }
    }

    /// All invites, the oldest first; ended ones stay for `JoinLimits.endedInviteKept`, so that
    /// their maker can see why they ended.
    package var all: [Invite] {
        invites.values.sorted {
            ($0.made, $0.code.selector.text) < ($1.made, $1.code.selector.text)
        }
    }

    package func invite(_ selector: JoinSelector) -> Invite? { invites[selector] }

    /// As many random bytes as `make` takes at its best: a selector, and several secrets to choose
    /// from.
    package static let randomBytes = JoinSelector.length + 12 * JoinSecret.length

    /// Makes an invite with a fresh code.
    ///
    /// - Parameters:
    ///   - uses: How many keys it may admit, normally one.
    ///   - now: Milliseconds of the wall clock since 1970.
    ///   - random: 8 fresh random bytes, or 6 more for each secret that may be drawn again where
    ///     the code could be a word.
    /// - Throws: `tooMany` if `JoinLimits.liveInvites` are live.
    package mutating func make(
        room: RoomID, role: Role, scope: Scope? = nil, name: String? = nil, uses: Int = 1,
        lifetime: UInt64 = JoinLimits.inviteLifetime, now: UInt64, random: [UInt8]
    ) throws(InviteBookError) -> Invite {
        precondition(random.count >= JoinCode.length)
        guard (1...JoinLimits.usesPerInvite).contains(uses) else { throw .uses }
        guard invites.values.count(where: { $0.isLive(at: now) }) < JoinLimits.liveInvites else {
            throw .tooMany
        }
        // Each digit is 5 of a byte's 8 random bits; the next free selector is as good as any.
        let digits = random.map { CrockfordDigits.all[Int($0 & 31)] }
        var number = Int(random[0] & 31) * 32 + Int(random[1] & 31)
        while isTaken(JoinSelector(number: number)) { number += 1 }
        var code = JoinCode(selector: JoinSelector(number: number), secret: .dummy)
        var rest = digits.dropFirst(JoinSelector.length)
        // A sixth of all codes could be words: those are drawn again, as long as there is a draw.
        repeat {
            let secret = JoinSecret(digits: Array(rest.prefix(JoinSecret.length)))
            code = JoinCode(selector: code.selector, secret: secret)
            rest = rest.dropFirst(JoinSecret.length)
        } while !code.isUnlikeWords && rest.count >= JoinSecret.length
        let (expires, overflow) = now.addingReportingOverflow(lifetime)
        let invite = Invite(
            code: code, room: room, role: role, scope: scope, name: name, made: now,
            expires: overflow ? .max : expires, uses: uses)
        invites[code.selector] = invite
        return invite
    }

    /// A withdrawn invite may still be in an exchange, whose end must not concern a new one.
    private func isTaken(_ selector: JoinSelector) -> Bool {
        invites[selector] != nil || inExchange.contains(selector)
    }

    /// Drops what need not be shown any more, and of the ended ones all but the last
    /// `JoinLimits.endedInvites`; returns them, to be deleted from the store.
    package mutating func removeForgotten(now: UInt64) -> [Invite] {
        let ended = invites.values
            .filter { !$0.isLive(at: now) && !inExchange.contains($0.code.selector) }
            .sorted { ($0.ended ?? $0.expires, $0.made) > ($1.ended ?? $1.expires, $1.made) }
        let forgotten = ended.enumerated().filter { position, invite in
            position >= JoinLimits.endedInvites || invite.isForgotten(at: now)
        }
        for (_, invite) in forgotten { invites[invite.code.selector] = nil }
        return forgotten.map(\.element)
    }

    /// Ends an invite by its maker's wish; nil if there is none. One that has ended for another
    /// reason stays as it is. An exchange that runs finds it gone.
    package mutating func withdraw(_ selector: JoinSelector, now: UInt64) -> Invite? {
        guard var invite = invites[selector] else { return nil }
        if invite.isLive(at: now) {
            invite.isWithdrawn = true
            invite.ended = now
            invites[selector] = invite
        }
        return invite
    }

    /// Drops an invite whose room this device leaves.
    package mutating func remove(_ selector: JoinSelector) -> Invite? {
        invites.removeValue(forKey: selector)
    }

    /// Begins an exchange with a device about an invite; a `.invite` is held until `close`.
    package mutating func open(
        _ selector: JoinSelector, for key: DeviceKey, now: UInt64
    ) -> InviteOpening {
        guard let invite = invites[selector], invite.answers(key, at: now) else { return .none }
        guard inExchange.insert(selector).inserted else { return .busy }
        return .invite(invite)
    }

    /// Ends the exchange about an invite.
    package mutating func close(_ selector: JoinSelector) { inExchange.remove(selector) }

    /// Counts a wrong code; nil if the invite was withdrawn meanwhile.
    package mutating func countFailure(_ selector: JoinSelector, now: UInt64) -> Invite? {
        guard var invite = invites[selector], !invite.isWithdrawn else { return nil }
        invite.attemptsLeft = max(0, invite.attemptsLeft - 1)
        if invite.attemptsLeft == 0, invite.ended == nil { invite.ended = now }
        invites[selector] = invite
        return invite
    }

    /// Gives one of the invite's uses to a device that has accepted. Giving it again changes
    /// nothing; nil if the invite was withdrawn or has no use left.
    package mutating func use(
        _ selector: JoinSelector, by key: DeviceKey, now: UInt64
    ) -> Invite? {
        guard var invite = invites[selector], !invite.isWithdrawn else { return nil }
        if invite.usedBy[key] == nil {
            guard invite.usesLeft > 0 else { return nil }
            invite.usedBy[key] = .accepted
            if invite.usesLeft == 0, invite.ended == nil { invite.ended = now }
            invites[selector] = invite
        }
        return invite
    }

    /// Notes the grant that a device got through an invite; nil if there is no such invite.
    package mutating func note(
        _ grant: OperationName, to key: DeviceKey, from selector: JoinSelector
    ) -> Invite? {
        guard var invite = invites[selector], invite.usedBy[key] != nil else { return nil }
        invite.usedBy[key] = .granted(grant)
        invites[selector] = invite
        return invite
    }
}

/// Why no invite was made.
package enum InviteBookError: Error, Hashable, Sendable {
    /// `JoinLimits.liveInvites` are live.
    case tooMany
    /// The number of uses is not between 1 and `JoinLimits.usesPerInvite`.
    case uses
}
