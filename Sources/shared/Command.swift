internal import ShareControl

/// One command of `shared`.
protocol Command: Sendable {
    static var syntax: CommandSyntax { get }

    /// Does it, and says what the process ends with where nothing failed.
    static func run(_ session: Session) throws(Problem) -> ExitCode
}

/// All commands, in the order in which the overview lists them.
enum Commands {
    static let groups: [(title: String, commands: [any Command.Type])] = [
        (
            "What is here",
            [
                StatusCommand.self, IdentityCommand.self, PeersCommand.self, MembersCommand.self,
                RoomsCommand.self,
                FormsCommand.self, ListsCommand.self, WatchCommand.self,
            ]
        ),
        (
            "Rooms",
            [
                CreateCommand.self, InviteCommand.self, InvitesCommand.self,
                WithdrawCommand.self, JoinCommand.self, RoleCommand.self, RemoveCommand.self,
                AcceptCommand.self, UseCommand.self, LeaveCommand.self, SetAutopushCommand.self,
                SetOpenCommand.self, SetHiddenCommand.self, SetQuotaCommand.self,
            ]
        ),
        (
            "Forms and entries",
            [
                FormNewCommand.self, FormInferCommand.self, FormCheckCommand.self,
                FormAddCommand.self, FormShowCommand.self, FormExportCommand.self,
                ListsAddCommand.self, ListsShowCommand.self, ListsExportCommand.self,
                ListsRemoveCommand.self, AddCommand.self, DraftsCommand.self,
                EditCommand.self, UndoCommand.self, DeleteCommand.self, RestoreCommand.self,
                ShowCommand.self, HistoryCommand.self,
                ReviewCommand.self, CommentCommand.self, ListCommand.self,
                ImportCommand.self, ExportCommand.self, PackageInstallCommand.self,
                PackageBuildCommand.self,
            ]
        ),
        (
            "Finding",
            [
                SearchCommand.self, CountCommand.self, StatsCommand.self, ChartCommand.self,
                ViewCommand.self, SetViewsCommand.self,
            ]
        ),
        (
            "Sharing",
            [
                PushCommand.self, SyncCommand.self, ConflictsCommand.self,
                ResolveCommand.self, RefusedCommand.self, BundleWriteCommand.self,
                BundleReadCommand.self,
            ]
        ),
        (
            "In trouble",
            [
                IdentityNewCommand.self, DoctorCommand.self, PingCommand.self, VerifyCommand.self,
                RebuildCommand.self, VersionCommand.self, CompletionCommand.self,
            ]
        ),
    ]

    /// Those that enter something which has to be sent.
    static let entering: Set<String> = [
        "add", "edit", "delete", "restore", "review", "comment", "resolve", "import", "undo",
    ]

    /// Those that tell people of one room, or do something to it, and do not name it.
    static let aboutRoom: Set<String> = [
        "list", "search", "count", "stats", "chart", "view", "export", "push", "sync", "conflicts",
        "refused", "forms", "form show", "form add", "form export", "lists", "lists show",
        "lists add", "lists export", "bundle write", "bundle read", "package install",
        "package build",
    ]

    static var all: [any Command.Type] { groups.flatMap(\.commands) }
}

/// What the process ends with; a contract with scripts.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case notReachable = 3

    /// The exit code of a command that ended with this problem.
    ///
    /// What no device and no room could make right is a mistake in the command, whether the command
    /// line finds it or the daemon.
    init(_ code: ErrorCode) {
        switch code {
        case .usage, .socketPathTooLong, .badRequest, .badName, .badCode: self = .usage
        case .daemonNotReachable, .permissionDenied: self = .notReachable
        default: self = .failed
        }
    }
}
