import ShareCore

/// Keeps derived data up to the rows of a room's forms, step by step, beside the writer: it reads
/// over a connection of its own.
///
/// For each form it remembers the last row that it has taken: new rows have greater numbers. Rows
/// that change or go after that are in `_touched`, of which it remembers the last line as well.
/// What it remembers is written with the data, so it can be killed at any moment.
package actor RowFollower<Derivation: RowDerivation> {
    private let path: String
    let derivation: Derivation
    private var files: FollowedFiles?
    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter path: the room's file, which a `RoomStore` has made.
    package init(path: String, _ derivation: Derivation) {
        executor = QueueExecutor(label: "row follower")
        self.path = path
        self.derivation = derivation
    }

    /// Goes on, for some tens of milliseconds.
    ///
    /// - Parameter forms: as `RoomStore` gave them; after a change of a form ask it again.
    /// - Returns: whether more is left.
    /// - Throws: `SQLiteError`; what was derived in steps before stays.
    package func step(_ forms: [FormInfo]) throws -> Bool {
        try withFiles { try $0.step(forms, derivation) }
    }

    /// Looks at what was derived and at the rows, all of one moment.
    package func read<Result: Sendable>(
        _ body: (FollowedFiles) throws -> Result
    ) throws -> Result {
        try withFiles { files in try files.room.snapshot { try body(files) } }
    }

    /// Lets go of the files; the next step opens them again.
    package func close() { files = nil }

    private func withFiles<Result>(
        isFirst: Bool = true, _ body: (FollowedFiles) throws -> Result
    ) throws -> Result {
        do {
            let open = try files ?? FollowedFiles(room: path, derivation)
            files = open
            return try body(open)
        } catch let error as SQLiteError where error.isCorrupt && isDerived(error.file) {
            // It costs nothing but time. Where it is the room's file, a new one would only begin
            // anew, each time.
            files = nil
            RoomFiles.remove(FollowedFiles.path(besides: path, derivation.suffix))
            guard isFirst else { throw error }
            return try withFiles(isFirst: false, body)
        }
    }

    /// Whether a file is the one with the derived data; SQLite has names of its own for files.
    private func isDerived(_ file: String?) -> Bool {
        let own = RoomFiles.number(FollowedFiles.path(besides: path, derivation.suffix))
        return own != nil && file.flatMap { RoomFiles.number($0) } == own
    }
}
