import ShareControl
import ShareCore
import ShareFormats
import ShareNet
import ShareStore

extension Problem {
    /// A thrown error, as it is told to the one who asked: what happened and what to do.
    init(_ error: any Error) {
        switch error {
        case let error as Problem: self = error
        case let error as UnknownForm: self = error.problem
        case let error as RoomError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as SQLiteError: self.init(error)
        case let error as FormError:
            self.init(.badForm, error.description, hint: error.hint)
        case let error as ValueError:
            self.init(
                ErrorCode(rawValue: error.code) ?? .badRequest, error.description,
                hint: error.hint)
        case let error as InviteBookError: self.init(error)
        case let error as JoinCodeError: self.init(error)
        case let error as JoinFailure: self.init(error)
        case is RoleLost:
            self.init(
                .busy, "this device's role in the room has just changed", hint: "Try again.")
        case let error as HTTPStreamError:
            // What was being uploaded; nobody reads this answer.
            self.init(.interrupted, "the file broke off: \(error)")
        case is CancellationError:
            self.init(.connectionLost, "the request was given up")
        default:
            self.init(
                .internalError, "something went wrong in the daemon: \(error)",
                hint: "The daemon's log says more.")
        }
    }

    private init(_ error: RoomError) {
        switch error {
        case .damaged(let room): self = room.problem
        case .noRoom:
            self.init(
                .noRoom, "this device is in no room",
                hint: "Join one: `shared join CODE`; or found one: `shared create ROOM`.")
        case .noneCurrent(let rooms):
            self.init(
                .noRoom, "no room is the current one",
                hint: "Choose one with `shared use ROOM`, or name it with `--room ROOM`: "
                    + rooms.joined(separator: ", ") + ".")
        case .unknown(let name, let rooms):
            self.init(
                .notFoundRoom, "no room \"\(name)\"",
                hint: Suggestion.hint(for: name, among: rooms, otherwise: "See `shared rooms`."))
        case .ambiguous(let name, let ids):
            self.init(
                .roomAmbiguous, "several rooms answer to \"\(name)\"",
                hint: "Name one by its id: " + ids.map(\.short).joined(separator: ", ") + ".")
        case .exists(let name):
            self.init(
                .roomExists, "this device is in a room \"\(name)\" already",
                hint: "Use it with `shared use`, or choose another name.")
        case .looksLikeCode(let text):
            self.init(
                .badName, "\(text) looks like a code, and no room is called so",
                hint: "To join the room that it leads to: `shared join \(text)`.")
        case .looksMistyped(let text, let slip):
            self.init(
                .badName, "\(text) looks like a code \(slip.words), and no room is called so",
                hint:
                    "With a code it is `shared join CODE`; for a room take a name that people say,"
                    + " such as \"clinic\".")
        case .tooMany(let count):
            self.init(
                .tooManyRooms, "this device is in \(count) rooms, and can be in no more",
                hint: "Leave one that is not needed any more: shared leave ROOM.")
        case .badName(let why):
            self.init(.badName, why, hint: "Choose a short name, such as \"clinic\".")
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .newerSchema(let found, let known):
            self.init(
                .updateNeeded,
                "the room's file was written by a newer release (\(found), this one knows \(known))",
                hint: "Install the newer release.")
        case .olderSchema:
            self.init(
                .updateNeeded, "the room's file was written before version 0.1.0, in another form",
                hint: "Export its entries with that version (`shared export`), make the room anew,"
                    + " and import them.")
        case .otherRoom:
            self.init(
                .damaged, "its file is another room's",
                hint: "Put its own file back in the folder rooms, and restart sharedd; or leave the"
                    + " room and join it again.")
        case .otherDevice(let key):
            self.init(
                .damaged,
                "its file was made by another device (\(key.short)) and holds entries that only that"
                    + " one may sign and send")
        case .damagedTable(let path, let table): self = Problem.damaged(path, tables: [table])
        case .notARoom:
            self.init(
                .damaged, "its file is no room's",
                hint: "Run `shared verify`, and `shared rebuild` if it says so.")
        case .damaged(let what):
            self.init(
                .damaged, "the room's file is damaged: \(what)",
                hint: "Run `shared verify`, and `shared rebuild` if it says so.")
        case .unfounded:
            self.init(
                .damaged, "the signed batches in its file are missing or damaged",
                hint: "Put back a backup; or read the room from another device's file with"
                    + " `shared bundle read FILE --join`; or leave it and join again.")
        case .rowsChanged:
            self.init(
                .busy, "entries of the form went on changing while the file was read",
                hint: "Nothing of it was written. Import it again.")
        case .replaced:
            self.init(
                .damaged, "the room's file was deleted or replaced while sharedd runs",
                hint: "Nothing more is written to it. Put the file back where that is possible, and"
                    + " restart sharedd: members give back what was sent.")
        case .missing:
            self.init(
                .damaged, "the room's file is not there any more",
                hint: "Put it back and restart sharedd; or leave the room and join it again: the"
                    + " others have what was pushed.")
        case .unusable:
            self.init(
                .damaged, "nothing of the room's file can be used",
                hint: "Put back a backup; or move the file away, keep it, and restart sharedd:"
                    + " members give back what was sent.")
        case .sealingBlocked(hasLost: true):
            self.init(
                .busy,
                "other devices may hold entries of this device that are not here yet: it has lost"
                    + " some",
                hint:
                    "Meet a member (`shared sync`), or read a bundle of one. If no device has them"
                    + " any more: `shared identity new` where the room has another owner; else begin"
                    + " a new room with what the damaged file still shows: `man shared`, at rebuild."
            )
        case .sealingBlocked:
            self.init(
                .busy, "other devices hold entries of this device that are not here yet",
                hint: "Wait until they have arrived (`shared sync`), then try again. If no device"
                    + " has them any more: `shared identity new`.")
        case .needsRebuild:
            self.init(
                .damaged,
                "the room's file is damaged, and nothing is sent from it before it is made anew",
                hint: "Run `shared rebuild`. What is entered meanwhile is kept.")
        case .retired:
            self.init(
                .busy, "the identity of this device is being changed",
                hint: "Try again in a moment.")
        case .notAllowed(let what): self = Problem.notAllowed(what)
        case .refused(let refusal): self = Problem.notAllowed(refusal.rawValue)
        case .outsideScope(let form, let field, let allowed):
            let hint =
                "An owner can assign this device more: `shared role` with --forms and --where."
            guard let field else {
                self.init(
                    .notAllowed, "this device was not assigned the form \(form)", hint: hint)
                return
            }
            let more = allowed.count > 8 ? ", …" : ""
            self.init(
                .notAllowed,
                "\(field) must be \(allowed.prefix(8).joined(separator: " or "))\(more) in entries of"
                    + " \(form) that this device writes: it was assigned no others", hint: hint)
        case .unknownForm(let form):
            self.init(.notFoundForm, "no form \"\(form)\"", hint: "See `shared forms`.")
        case .unknownRecord(let id):
            self.init(
                .notFoundRecord, "no entry \"\(id)\"",
                hint: "Name it by its key, with its form before it, or by the last 8 characters of"
                    + " its id: `shared list FORM` shows both.")
        case .shortRecord(let id):
            self.init(
                .badRequest, "\"\(id)\" is too short to name an entry",
                hint: "Name it by its key, with its form before it, or by 4 characters or more of"
                    + " the end of its id: `shared list FORM` shows both.")
        case .ambiguousRecord(let names):
            self.init(
                .ambiguousID, "several entries answer to that id",
                hint: "Name one: "
                    + names.prefix(4).map { "\($0.id.text)@\($0.creator.short)" }
                    .joined(separator: ", ") + ".")
        case .wrongType(let field):
            self.init(.wrongType, "the value does not fit the type of field \(field)")
        case .unknownField(let field):
            self.init(
                .unknownField, "no field \"\(field)\"", hint: "See `shared form show FORM`.")
        case .tooLarge:
            self.init(
                .tooLarge, "the entry is too large to be shared",
                hint: "An entry has room for about 768 KiB in all.")
        }
    }

    /// The room's rules do not allow what was asked.
    private static func notAllowed(_ what: String) -> Problem {
        Problem(
            .notAllowed, "your role in this room does not allow that: \(what)",
            hint: "See `shared members`; an owner can change roles.")
    }

    /// No descriptor is left, for a connection or for a file.
    static let tooManyFiles = Problem(
        .busy, "the daemon has too many files and connections open",
        hint: "Let it have more (`ulimit -n`, or LimitNOFILE= in its unit) and restart it;"
            + " nothing was done.")

    private init(_ error: SQLiteError) {
        if error.isDiskFull {
            self.init(
                .storageFull, "the disk is full",
                hint: "What was saved before is kept. Make room, then do this again.")
        } else if error.isReadOnly {
            self.init(
                .storage, "the data directory cannot be written",
                hint: "Look at its permissions and its disk.")
        } else if error.lacksDescriptors {
            self = .tooManyFiles
        } else if error.isUnreadable {
            let file = error.file?.split(separator: "/").last.map { String($0) }
            self.init(
                .storage,
                "\(file ?? "a file of this device") could not be read (input/output error)",
                hint: "Try again: a disk may fail for a moment. Where it stays so, look at the"
                    + " disk.")
        } else if error.isCorrupt || error.lacksTable {
            self = Problem.damaged(error.file, tables: error.tables)
        } else {
            self.init(
                .storage, "the store failed: \(error.message)",
                hint: "The daemon's log says more.")
        }
    }

    /// A file of this device is not what it was written as.
    private static func damaged(_ path: String?, tables: [String]) -> Problem {
        let file = path?.split(separator: "/").last.map { String($0) }
        if file == "node.sqlite" {
            return Problem(
                .damaged, "\(file ?? "") is damaged",
                hint: "Restart sharedd: it makes the file anew, and keeps the damaged one. No entry"
                    + " is in it.")
        }
        if let path, FollowedFiles.isDerived(path) {
            return Problem(
                .damaged, "\(file ?? "") is damaged",
                hint: "It is made anew by itself, and no entry is in it. Try again in a moment.")
        }
        return Problem(
            .damaged,
            Self.named(tables) + (file ?? "a file of the room") + " is damaged",
            hint: "Run `shared rebuild`: it makes anew what is damaged, and keeps the damaged file"
                + " where anything is lost. `shared verify` says what is wrong.")
    }

    private static func named(_ tables: [String]) -> String {
        switch tables.count {
        case 0: ""
        case 1: "the table \(tables[0]) in "
        default: "one of the tables \(Sentence.list(tables)) in "
        }
    }

    private init(_ error: JoinCodeError) {
        let what =
            switch error {
            case .length(let count):
                "it has \(count) \(count == 1 ? "character" : "characters"), not 8"
            case .character(let character): "no code has the character \"\(character)\""
            }
        self.init(
            .badCode, "that is no invite code: \(what)",
            hint: "A code has eight letters and digits, like K7QX-93MP.")
    }

    private init(_ error: InviteBookError) {
        switch error {
        case .uses:
            self.init(
                .badRequest, "an invite admits between 1 and \(JoinLimits.usesPerInvite) devices",
                hint: "Make several; or let anybody nearby in: `shared set open on`.")
        case .tooMany:
            self.init(
                .busy, "\(JoinLimits.liveInvites) invites are open already",
                hint: "Withdraw one, or wait until one expires.")
        }
    }
}

extension Problem {
    /// That what stands in the place of a room's name is a code, but for one letter.
    init(mistyped text: String, _ slip: JoinCode.Slip, mayBeName: Bool) {
        self.init(
            .badCode,
            (mayBeName ? "no room \"\(text)\" is nearby, and it" : text)
                + " looks like a code \(slip.words)",
            hint: "A code has eight letters and digits, like K7QX-93MP: look at it again, or ask"
                + " for it anew.")
    }
}

extension JoinCode.Slip {
    fileprivate var words: String {
        switch self {
        case .oneMissing: "with a letter missing"
        case .oneTooMany: "with a letter too many"
        case .otherLetter: "with a U, which no code has"
        case .misread: "that was misread"
        }
    }
}

extension DamagedRoom {
    /// Why the room cannot be opened, and what to do.
    var problem: Problem {
        let problem = Problem(why)
        let detail = "the room \(entry.name) cannot be opened: \(problem.detail)"
        switch why {
        case StoreError.otherDevice:
            return Problem(
                problem.code, detail,
                hint: "Give the file back to that device. Here `shared rebuild --room"
                    + " \(entry.id.short)` takes what is signed of it, and keeps the file.")
        case let error as SQLiteError where error.isUnreadable:
            return Problem(
                problem.code, detail,
                hint: "It is tried again by itself. Where it stays so, look at the disk; `shared"
                    + " rebuild --room \(entry.id.short)` takes what can be read.")
        case StoreError.unusable:
            return Problem(
                problem.code, "\(detail) (rooms/\(entry.file) in the data directory)",
                hint: problem.hint)
        case StoreError.missing, StoreError.newerSchema, StoreError.olderSchema,
            StoreError.otherRoom:
            return Problem(problem.code, detail, hint: problem.hint)
        case let error as SQLiteError where !error.isCorrupt && !error.lacksTable:
            return Problem(
                problem.code, detail,
                hint: "See whether sharedd may read and write \(entry.file) and its folder, and"
                    + " whether the disk is all right. It is tried again by itself.")
        default:
            return Problem(
                .damaged, detail,
                hint: "Run `shared rebuild --room \(entry.id.short)`, which keeps the damaged file"
                    + " and takes what is sound of it; what was not sent is nowhere else.")
        }
    }
}

extension Role {
    /// The role that somebody has typed.
    ///
    /// - Throws: `Problem` of `bad_request`, with what may have been meant.
    init(typed text: String) throws(Problem) {
        guard let role = Role(name: text) else {
            let names = Role.allCases.map(\.name)
            throw Problem(
                .badRequest, "no role \"\(text.prefix(80))\"",
                hint: Suggestion.hint(
                    for: text, among: names,
                    otherwise: "Roles are " + names.joined(separator: ", ") + "."))
        }
        self = role
    }

    /// Lets those go on who may admit devices as this.
    ///
    /// - Parameter owners: what owners of the room are called, to be asked.
    /// - Throws: `Problem` of `not_allowed`.
    func require(admitter own: Role?, owners: [String]) throws(Problem) {
        guard own?.mayAdmit(as: self) != true else { return }
        let ask =
            owners.isEmpty ? "Ask an owner." : "Ask an owner: \(owners.joined(separator: ", "))."
        guard let own else {
            throw Problem(.notAllowed, "this device is no member and cannot invite", hint: ask)
        }
        let admits = own.mayAdmit(as: .collector)
        throw Problem(
            .notAllowed, "\(own.name)s cannot invite\(admits ? " \(name)s" : "")",
            hint: admits ? "They invite collectors, contributors and viewers. \(ask)" : ask)
    }
}
