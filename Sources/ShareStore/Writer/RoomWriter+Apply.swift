import ShareCore
import ShareCrypto

/// Judging a batch of records and applying what is accepted.
extension RoomWriter {
    /// What a whole block comes to before its rows are looked at.
    private enum BlockVerdict {
        case apply(Role, FormCatalog.Definition, FormTable)
        case waiting(Waiting, key: [UInt8])
        case refused(Refusal)
    }

    /// Applies a batch whose traces, if it had left any, have been taken out.
    ///
    /// - Parameter standing: what its author may do at it, where the caller knows.
    func apply(
        _ held: HeldBatch, _ body: Body?, standing: Standing? = nil, sums: [Int: StateDigest] = [:]
    ) throws {
        let standing = try standing ?? self.standing(of: held)
        if !held.isOpen {
            try database.run(
                "INSERT OR REPLACE INTO _judged(batch, standing) VALUES(?1, ?2)",
                .integer(held.batch), .text(standing.note))
        }
        guard let body else {
            return try refuse(held.local(0), count: 1, .malformed, what: "batch")
        }
        for block in body.blocks {
            switch block {
            case .records(let block):
                try apply(block, of: held, standing, sum: sums[block.firstIndex])
            case .control(let block):
                try refuse(
                    held.local(block.firstIndex), count: block.entries.count, .misplaced,
                    what: "operation")
            case .misplaced(_, let firstIndex, let count):
                try refuse(
                    held.local(firstIndex), count: count, .misplaced, what: "operation")
            case .unknown(let kind, let firstIndex, let count):
                // Odd kinds may be passed over; even ones wait for a newer release.
                guard kind.isMultiple(of: 2) else { continue }
                try wait(held.local(firstIndex), count: count, for: .kind, key: [])
            }
        }
    }

    private func apply(
        _ block: RecordsBlock, of held: HeldBatch, _ standing: Standing, sum: StateDigest?
    ) throws {
        try noteUse(of: block.form, by: held)
        let count = block.rows.count
        switch verdict(of: block, by: held, standing) {
        case .refused(let refusal):
            try refuse(
                held.local(block.firstIndex), count: count, refusal, what: block.kind.word)
            // Refused creations leave no record whose history could show them.
            if block.kind != .put {
                for (place, row) in block.rows.enumerated() {
                    try noteRefused(held.local(block.firstIndex + place), on: row.id)
                }
            }
        case .waiting(let waiting, let key):
            try wait(held.local(block.firstIndex), count: count, for: waiting, key: key)
        case .apply(let role, let definition, let form):
            if block.kind == .put {
                guard RecordPermission.allows(role, .put, own: true) else {
                    return try refuse(
                        held.local(block.firstIndex), count: count, .role,
                        what: block.kind.word)
                }
                _ = try applyPuts(block, of: held, definition, form, sum: sum)
            } else {
                try applyOthers(block, of: held, role, definition, form)
            }
        }
    }

    private func verdict(
        of block: RecordsBlock, by held: HeldBatch, _ standing: Standing
    ) -> BlockVerdict {
        let role: Role
        switch standing {
        case .unknown: return .waiting(.author, key: held.author.bytes)
        case .refused(let refusal): return .refused(refusal)
        case .member(let found): role = found
        }
        guard let definition = state.catalog.definitions[block.form], definition.isAccepted,
            let form = state.catalog.forms[definition.form.formID]
        else { return .waiting(.form, key: block.form.key) }
        guard (block.fields.last ?? -1) < definition.form.fields.count else {
            return .refused(.type)
        }
        return .apply(role, definition, form)
    }

    /// Edits, deletes, restores, reviews and comments, row by row.
    private func applyOthers(
        _ block: RecordsBlock, of held: HeldBatch, _ role: Role,
        _ definition: FormCatalog.Definition, _ form: FormTable
    ) throws {
        let types = block.fields.map { definition.form.fields[$0] }
        for (place, row) in block.rows.enumerated() {
            let local = held.local(block.firstIndex + place)
            let creator = block.creators[Int(row.creator)]
            guard RecordPermission.allows(role, block.kind, own: creator == held.author) else {
                try refuse(local, count: 1, .role, what: block.kind.word)
                try noteRefused(local, on: row.id)
                continue
            }
            if let field = block.misfit(row: place, types) {
                try refuse(local, count: 1, .type, what: field)
                try noteRefused(local, on: row.id)
                continue
            }
            let parents = block.parents(of: row)
            try addVersion(
                local, kind: block.kind, clock: row.clock,
                parents: held.isOpen ? Array(parents) : parents.ofSealed,
                content: VersionContent(block, row: place, definition: definition.form),
                to: RecordName(form: form.formID, creator: creator, id: row.id), in: form)
            state.clock.observe(row.clock)
        }
    }

    // MARK: Notes on operations

    func refuse(_ local: LocalName, count: Int, _ refusal: Refusal, what: String) throws {
        try database.run(
            "INSERT OR REPLACE INTO _refused(operation, count, reason, what) VALUES(?1,?2,?3,?4)",
            .integer(local.rawValue), .integer(Int64(count)), .text(refusal.rawValue), .text(what))
    }

    /// Lets the history of a record find a refused operation on it.
    private func noteRefused(_ local: LocalName, on record: RecordID) throws {
        try database.run(
            "INSERT OR IGNORE INTO _refused_record(id, operation) VALUES(?1, ?2)",
            .blob(record.bytes), .integer(local.rawValue))
    }

    func wait(_ local: LocalName, count: Int, for waiting: Waiting, key: [UInt8]) throws {
        try database.run(
            "INSERT OR REPLACE INTO _waiting(operation, count, reason, key) VALUES(?1,?2,?3,?4)",
            .integer(local.rawValue), .integer(Int64(count)), .text(waiting.rawValue), .blob(key))
    }

    func noteUse(of definition: OperationName, by held: HeldBatch) throws {
        try database.run(
            "INSERT OR IGNORE INTO _uses(definition, batch) VALUES(?1, ?2)",
            .blob(definition.key), .integer(held.batch))
    }
}

extension OperationName {
    /// The name in 34 bytes.
    var key: [UInt8] {
        batch.bytes + [UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)]
    }

    /// Reads names that `key` wrote one after another.
    static func names(_ bytes: UnsafeRawBufferPointer) -> [OperationName] {
        stride(from: 0, to: bytes.count - keyLength + 1, by: keyLength).map { start in
            let id = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Bytes32.count])
            return OperationName(
                batch: BatchID(Digest(Bytes32(id))),
                index: Int(bytes[start + 32]) << 8 | Int(bytes[start + 33]))
        }
    }

    static let keyLength = 34
}

extension RecordsBlock.Kind {
    /// The word for it in histories and in lists of refused operations.
    package var word: String {
        switch self {
        case .put: "put"
        case .edit: "edit"
        case .delete: "delete"
        case .restore: "restore"
        case .review: "review"
        case .comment: "comment"
        }
    }
}

extension RecordsBlock {
    /// The first field of a row whose value is not of its type; nil if all are.
    func misfit(row: Int, _ fields: [FormField]) -> String? {
        switch kind {
        case .put, .edit:
            for (column, field) in fields.enumerated()
            where !field.type.accepts(cells[row * width + column], in: storage) {
                return field.name
            }
            return nil
        case .delete, .restore: return nil
        case .review, .comment:
            for column in 0..<width {
                switch cells[row * width + column] {
                case .text, .absent: continue
                case .integer, .decimal: return kind.word
                }
            }
            return nil
        }
    }
}
