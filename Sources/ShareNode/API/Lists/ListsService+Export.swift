import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Lists as files.
extension ListsService {
    typealias Producer = @Sendable (HTTPResponseWriter) async throws -> Void

    /// A list as CSV.
    ///
    /// - Parameter isRaw: whether texts that a spreadsheet could run stand as they are.
    func export(
        _ list: RoomList, in room: OpenRoom, isRaw: Bool
    ) -> Producer {
        let lists = room.store.lists
        return { writer in
            var csv = Self.csv(list.columns, isRaw: isRaw)
            for position in 0..<list.rows {
                guard let cells = try lists.checked({ lists.cells(of: list, row: position) })
                else {
                    throw Problem(
                        .busy, "the list was changed while it was read", hint: "Try again.")
                }
                for cell in cells { csv.text(String(decoding: cell, as: UTF8.self)) }
                csv.endRow()
                if position % 512 == 511 { try await writer.write(csv.take()) }
            }
            try await writer.write(csv.take())
        }
    }

    /// The version of a list that a device made while others made theirs, in force or not.
    ///
    /// - Throws: as `ParallelLists.version`.
    func export(
        _ name: String, by device: String, in room: OpenRoom, isRaw: Bool
    ) async throws -> Producer {
        let made = try await parallel.version(of: name, by: device, in: room)
        let parts = try await room.store.parts(of: made)
        return { writer in
            var csv = Self.csv(made.columns, isRaw: isRaw)
            for part in parts {
                try part.forEachRow { _, cells in
                    for cell in cells {
                        csv.text(String(decoding: part.cells[cell], as: UTF8.self))
                    }
                    csv.endRow()
                }
                try await writer.write(csv.take())
            }
        }
    }

    private static func csv(_ columns: [String], isRaw: Bool) -> CSVWriter {
        var options = CSVWriter.Options()
        options.isRaw = isRaw
        var csv = CSVWriter(options)
        csv.row(columns)
        return csv
    }
}
