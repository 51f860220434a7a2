/// The closed list of what can go wrong, by names that scripts may rely on.
package enum ErrorCode: String, CaseIterable, Sendable {
    // The request itself.
    case badRequest = "bad_request"
    case notFoundRoute = "not_found_route"
    case methodNotAllowed = "method_not_allowed"
    case tooLarge = "too_large"
    case notAllowed = "not_allowed"
    /// What was asked for is so already, and nothing was done: to the command that is no failure.
    case alreadySo = "already_so"

    // What it names.
    case notFoundForm = "not_found_form"
    case notFoundList = "not_found_list"
    case notFoundRoom = "not_found_room"
    case notFoundRecord = "not_found_record"
    case notFoundMember = "not_found_member"
    case notFoundInvite = "not_found_invite"
    case ambiguousID = "ambiguous_id"
    case noRoom = "no_room"
    case badName = "bad_name"

    // Values, forms and files.
    case unknownField = "unknown_field"
    case wrongType = "wrong_type"
    case unknownChoice = "unknown_choice"
    case requiredMissing = "required_missing"
    case constraintFailed = "constraint_failed"
    case nothingToChange = "nothing_to_change"
    case severalValues = "several_values"
    case changedMeanwhile = "changed_meanwhile"
    case otherCase = "other_case"
    case badForm = "bad_form"
    case badList = "bad_list"
    case badView = "bad_view"
    case badFile = "bad_file"
    case rowsRejected = "rows_rejected"

    // Rooms and joining.
    case roomExists = "room_exists"
    case tooManyRooms = "too_many_rooms"
    case roomAmbiguous = "room_ambiguous"
    case roomNotNearby = "room_not_nearby"
    case codeNeeded = "code_needed"
    case badCode = "bad_code"
    case noInvite = "no_invite"
    case wrongCode = "wrong_code"
    case inviteEnded = "invite_ended"
    case notAMember = "not_a_member"
    case notFoundRequest = "not_found_request"
    case tooManyAttempts = "too_many_attempts"
    case openAndHidden = "open_and_hidden"

    // Members and roles.
    case removed
    case alreadyRemoved = "already_removed"
    case lastOwner = "last_owner"
    case ownDevice = "own_device"
    case outranked
    case badRecoveryCode = "bad_recovery_code"
    case wrongRecoveryCode = "wrong_recovery_code"
    case removalsAtStake = "removals_at_stake"
    case tooManyChanges = "too_many_changes"
    case grantsAtStake = "grants_at_stake"
    case nothingRefused = "nothing_refused"
    case formRefused = "form_refused"

    // The network and the daemon's state.
    case nobodyInReach = "nobody_in_reach"
    case notIdentical = "not_identical"
    case discoveryUnavailable = "discovery_unavailable"
    case timedOut = "timed_out"
    case busy = "busy"
    case updateNeeded = "update_needed"
    case storage
    case storageFull = "storage_full"
    case damaged
    case internalError = "internal"

    // Made by the command line itself; the daemon never answers with these.
    case usage
    case daemonNotReachable = "daemon_not_reachable"
    case permissionDenied = "permission_denied"
    case socketPathTooLong = "socket_path_too_long"
    case connectionLost = "connection_lost"
    case notUnderstood = "not_understood"
    case interrupted
    case fileUnreadable = "file_unreadable"
    case fileUnwritable = "file_unwritable"
}

extension ErrorCode {
    /// The HTTP status that goes with it; nil where only the command line makes it.
    package var status: Int? {
        switch self {
        case .badRequest, .badName, .unknownField, .wrongType, .unknownChoice, .requiredMissing,
            .constraintFailed, .nothingToChange, .badForm, .badList, .badView, .badFile, .badCode,
            .badRecoveryCode,
            .rowsRejected:
            400
        case .notAllowed, .wrongCode, .wrongRecoveryCode, .notAMember, .removed, .outranked: 403
        case .notFoundRoute, .notFoundForm, .notFoundList, .notFoundRoom, .notFoundRecord,
            .notFoundMember, .notFoundInvite, .noInvite, .notFoundRequest, .roomNotNearby:
            404
        case .methodNotAllowed: 405
        case .ambiguousID, .noRoom, .roomExists, .tooManyRooms, .roomAmbiguous, .codeNeeded,
            .alreadySo,
            .notIdentical, .updateNeeded, .alreadyRemoved, .lastOwner, .ownDevice,
            .grantsAtStake, .removalsAtStake, .nothingRefused, .formRefused, .tooManyChanges,
            .openAndHidden,
            .severalValues, .changedMeanwhile, .otherCase:
            409
        case .inviteEnded: 410
        case .tooLarge: 413
        case .tooManyAttempts: 429
        case .storage, .damaged, .internalError: 500
        case .nobodyInReach, .discoveryUnavailable, .busy: 503
        case .timedOut: 504
        case .storageFull: 507
        case .usage, .daemonNotReachable, .permissionDenied, .socketPathTooLong, .connectionLost,
            .notUnderstood, .interrupted, .fileUnreadable, .fileUnwritable:
            nil
        }
    }

    /// A few words that are the same for every occurrence (RFC 9457 `title`).
    package var title: String {
        switch self {
        case .badRequest: "The request is malformed"
        case .notFoundRoute: "There is no such resource"
        case .methodNotAllowed: "The resource does not take this method"
        case .tooLarge: "The request is too large"
        case .notAllowed: "Your role does not allow this"
        case .alreadySo: "It is so already"
        case .notFoundForm: "No such form"
        case .notFoundList: "No such list"
        case .notFoundRoom: "No such room"
        case .notFoundRecord: "No such record"
        case .notFoundMember: "No such member"
        case .notFoundInvite: "No such invite"
        case .ambiguousID: "The short id fits more than one"
        case .noRoom: "No room is chosen"
        case .badName: "The name cannot be used"
        case .unknownField: "The form has no such field"
        case .wrongType: "The value has the wrong type"
        case .unknownChoice: "The value is not on the list"
        case .requiredMissing: "A required field is missing"
        case .constraintFailed: "The form does not allow the value"
        case .nothingToChange: "Nothing to change"
        case .severalValues: "There are several values"
        case .changedMeanwhile: "It was changed meanwhile"
        case .otherCase: "The key is written otherwise"
        case .badForm: "The form cannot be used"
        case .badList: "The list cannot be used"
        case .badView: "The views cannot be used"
        case .badFile: "The file cannot be read as what it should be"
        case .rowsRejected: "Rows were rejected"
        case .roomExists: "A room of that name exists"
        case .tooManyRooms: "This device is in too many rooms"
        case .roomAmbiguous: "More than one room has that name"
        case .roomNotNearby: "No such room is nearby"
        case .codeNeeded: "The room needs a code"
        case .badCode: "That is not a code"
        case .noInvite: "No device nearby knows this invite"
        case .wrongCode: "The code is wrong"
        case .inviteEnded: "The invite has ended"
        case .notAMember: "Not a member"
        case .notFoundRequest: "No such request"
        case .tooManyAttempts: "Too many attempts"
        case .openAndHidden: "A room is not open and hidden at once"
        case .removed: "This device was removed from the room"
        case .alreadyRemoved: "The device is no member any more"
        case .lastOwner: "A room needs an owner"
        case .ownDevice: "That is this device"
        case .outranked: "The device outranks this one"
        case .badRecoveryCode: "That is not a recovery code"
        case .wrongRecoveryCode: "The recovery code is of another room"
        case .removalsAtStake: "Removals by the device would go on counting"
        case .tooManyChanges: "The role was changed too often"
        case .grantsAtStake: "Decisions of the device would be revoked"
        case .nothingRefused: "Nothing of the device is refused"
        case .formRefused: "The form does not count"
        case .nobodyInReach: "Nobody is in reach"
        case .notIdentical: "Not identical yet"
        case .discoveryUnavailable: "Discovery is not available"
        case .timedOut: "It took too long"
        case .busy: "The daemon is busy"
        case .updateNeeded: "An update is needed"
        case .storage: "The storage failed"
        case .storageFull: "The disk is full"
        case .damaged: "Stored data is damaged"
        case .internalError: "Internal error"
        case .usage: "The command was not understood"
        case .daemonNotReachable: "The daemon is not reachable"
        case .permissionDenied: "Permission denied"
        case .socketPathTooLong: "The socket path is too long"
        case .connectionLost: "The connection to the daemon was lost"
        case .notUnderstood: "The answer was not understood"
        case .interrupted: "Interrupted"
        case .fileUnreadable: "The file cannot be read"
        case .fileUnwritable: "The file cannot be written"
        }
    }
}

extension ErrorCode: Codable {
    /// A code that this release does not know reads as `internal`; the detail still says it all.
    package init(from decoder: any Decoder) throws {
        self = ErrorCode(rawValue: try String(from: decoder)) ?? .internalError
    }
}
