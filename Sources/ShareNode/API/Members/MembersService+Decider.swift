import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

extension MembersService {
    /// The decider: this device, or the room's recovery key while somebody types its code.
    struct Decider: Sendable {
        let key: DeviceKey
        /// Nil where this device decides.
        let recovery: DeviceIdentity?

        /// The batch that its next decision follows.
        func head(in store: isolated RoomStore) throws -> LogHead? {
            try store.controlHead(of: key)
        }
    }

    /// - Parameter code: the room's recovery code as it was typed; nil where this device decides.
    /// - Throws: `Problem` of `bad_recovery_code` or `wrong_recovery_code`.
    func decider(_ code: String?, in room: OpenRoom) async throws -> Decider {
        guard let code else { return Decider(key: own.key, recovery: nil) }
        let typed: RecoveryCode
        do throws(RecoveryCodeError) {
            typed = try RecoveryCode(typed: code)
        } catch {
            throw Self.problem(error)
        }
        let authority = await room.store.authority()
        guard let nonce = authority.nonce, let key = authority.recoveryKey else {
            throw Problem(.busy, "the founding of \(room.name) is not here yet", hint: "Try again.")
        }
        let recovery = typed.identity(nonce: nonce)
        guard recovery.key == key else {
            throw Problem(
                .wrongRecoveryCode, "that is not the recovery code of \(room.name)",
                hint: "Each room has its own, which `shared create` showed. Which room is meant:"
                    + " --room.")
        }
        return Decider(key: key, recovery: recovery)
    }

    private static func problem(_ error: RecoveryCodeError) -> Problem {
        switch error {
        case .length(let count):
            Problem(
                .badRecoveryCode,
                "a recovery code has \(RecoveryCode.length) characters, and that has \(count)",
                hint: "Type all of what `shared create` showed; hyphens and spaces do not matter.")
        case .character(let character):
            Problem(
                .badRecoveryCode, "no recovery code holds the character \"\(character)\"",
                hint: "It is made of digits and letters, without I, L, O and U.")
        case .mistyped:
            Problem(
                .badRecoveryCode,
                "that is no recovery code: a character is wrong, or two are swapped",
                hint: "Compare it with the sheet, character by character.")
        }
    }

    /// Why everybody would refuse a decision about a device, and what can be done.
    func refused(
        _ verdict: Verdict, _ named: NamedDevice, _ subject: DeviceKey, in room: OpenRoom
    ) async -> Problem {
        guard verdict == .refused(.outranked) else {
            return verdict == .refused(.tooMany)
                ? Problem(
                    .tooManyChanges,
                    "\(room.name) takes no further change of \(named.name)'s role: there were"
                        + " \(Limits.operationsInForce)",
                    hint: "It can still be removed; with `shared identity new` there, and an"
                        + " invite, it begins anew.")
                : Problem(
                    .outranked, "the other devices would refuse this (\(verdict.word))",
                    hint: "See `shared members --all`.")
        }
        let authority = await room.store.authority()
        var others: [String] = []
        if let rank = authority.rank(of: subject) {
            for owner in authority.owners
            where owner != own.key && (authority.rank(of: owner) ?? .max) < rank {
                others.append(await names.named(owner).name)
            }
        }
        let way = others.isEmpty ? "" : "\(others.joined(separator: " or ")) can do it, and "
        // Who ceased to be an owner and is one again keeps its rank, and lowers nobody who became
        // an owner meanwhile.
        let isBack = (authority.rank(of: own.key) ?? .max) < (authority.rank(of: subject) ?? 0)
        return Problem(
            .outranked,
            isBack
                ? "\(named.name) became an owner while this device was none, and stands beside it"
                : "\(named.name) was an owner before this device, and outranks it",
            hint: "\(way)\(way.isEmpty ? "Whoever" : "whoever") has the room's recovery code"
                + " can: the same command with --recovery.")
    }
}
