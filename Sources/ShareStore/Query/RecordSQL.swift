import Expressions
import ShareCore

/// Values bound to a statement, in the order of their numbers.
struct SQLParameters {
    private(set) var all: [SQLValue] = []

    /// The place of another value in the statement's text.
    mutating func add(_ value: SQLValue) -> String {
        all.append(value)
        return "?\(all.count)"
    }
}

/// Conditions and orders of records as SQL, with the values that it binds.
struct RecordSQL {
    let form: FormInfo
    let functions: RowFunctions
    var values = SQLParameters()
    /// The tables of the repeats around a repeat's rows, innermost first; nil where nothing in the
    /// file is deleted: then rows are not looked up in it.
    private let around: [String]?

    init(_ form: FormInfo, _ functions: RowFunctions) {
        self.form = form
        self.functions = functions
        around = []
    }

    init(_ form: FormInfo, _ functions: RowFunctions, in database: Database) throws {
        self.form = form
        self.functions = functions
        guard form.form.isRepeat,
            try database.integer("SELECT 1 FROM _record WHERE hidden AND created LIMIT 1") != nil
        else {
            around = nil
            return
        }
        var around: [String] = []
        var outer = FormDefinition.parentForm(of: form.formID)
        while let id = outer, let next = FormDefinition.parentForm(of: id) {
            if case .text(let table)? = try database.row(
                "SELECT table_name FROM _form WHERE form_id = ?1", .text(id))?.first
            {
                around.append(table)
            }
            outer = next
        }
        self.around = around
    }

    /// The record after which a page begins.
    struct Cursor {
        let order: [RecordQuery.Order]
        /// For each of `order`.
        let values: [SQLValue]
    }

    // MARK: Conditions

    mutating func whereClause(
        _ conditions: [RecordQuery.Condition], after place: Cursor? = nil, also: [String] = []
    ) throws -> String {
        var parts = also
        if let around, form.form.isRepeat { parts.append(Self.isInEntry(around[...])) }
        for condition in conditions { parts += try sql(condition) }
        if let place { parts.append(try sql(after: place)) }
        return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
    }

    /// Whether nothing that a row lies in is deleted; it may not be here yet.
    private static func isInEntry(_ around: ArraySlice<String>) -> String {
        guard let outer = around.first else { return isInShown }
        return """
            \(isInShown) AND _parent NOT IN (
                SELECT \(DeviceTable.authorID) || '/' || _id FROM \(SQLName.quote(outer))
                WHERE NOT (\(isInEntry(around.dropFirst()))))
            """
    }

    /// Whether what a row belongs to is not deleted.
    private static let isInShown = """
        _parent NOT IN (
            SELECT \(parentName(hex: "r.hex", device: "d.id"))
            FROM (SELECT creator, hex(id) AS hex FROM _record WHERE hidden AND created) r
            JOIN _device d ON d.device = r.creator)
        """

    /// What rows have as `_parent` that belong to a record.
    ///
    /// - Parameters:
    ///   - hex: the digits of its id, an expression.
    ///   - device: the id of its creator.
    static func parentName(hex: String, device: String) -> String {
        """
        \(device) || '/' || lower(
            substr(\(hex), 1, 8) || '-' || substr(\(hex), 9, 4) || '-' || substr(\(hex), 13, 4)
            || '-' || substr(\(hex), 17, 4) || '-' || substr(\(hex), 21))
        """
    }

    private mutating func sql(_ condition: RecordQuery.Condition) throws -> [String] {
        switch condition {
        case .compare(.author, .equal, let value):
            return ["_author = (\(DeviceTable.number) = \(values.add(value.sql)))"]
        case .anyOf(.author, let texts):
            let places = texts.map { values.add(.text($0)) }
            return ["_author IN (\(DeviceTable.number) IN (\(places.joined(separator: ", "))))"]
        case .compare(.valid, .equal, .text("no")): return [EntryFlags.isInvalid(form)]
        case .compare(let subject, let comparison, let value):
            let column = try RecordSQL.column(subject, form)
            switch comparison {
            case .equal: return ["\(column) IS \(values.add(value.sql))"]
            case .unequal: return ["\(column) IS NOT \(values.add(value.sql))"]
            case .less, .lessOrEqual, .greater, .greaterOrEqual:
                return ["\(column) \(comparison.rawValue) \(values.add(value.sql))"]
            }
        case .anyOf(let subject, let texts):
            let column = try RecordSQL.column(subject, form)
            let places = texts.map { values.add(.text($0)) }
            return ["\(column) IN (\(places.joined(separator: ", ")))"]
        case .chosen(let subject, let choice):
            let column = try RecordSQL.column(subject, form)
            let wanted = values.add(.text(" \(choice) "))
            return ["instr(' ' || \(column) || ' ', \(wanted)) > 0"]
        case .contains(let subject, let text):
            let column = try RecordSQL.column(subject, form)
            let wanted = values.add(.text(FoldedText.fold(text)))
            return ["instr(\(RowFunctions.fold)(\(column)), \(wanted)) > 0"]
        case .expression(let expression):
            var (parts, isAll) = ExpressionSQL.compile(expression, &values)
            if !isAll {
                let place = values.add(.integer(Int64(functions.add(expression))))
                let columns = expression.read.map { ", " + expression.columns[$0] }
                parts.append("\(RowFunctions.holds)(\(place)\(columns.joined()))")
            }
            return parts
        case .either(let conditions):
            let parts = try conditions.map { try sql($0).joined(separator: " AND ") }
            return [parts.isEmpty ? "FALSE" : "(" + parts.joined(separator: " OR ") + ")"]
        case .belongs(let parent, let query):
            var inner = RecordSQL(parent, functions)
            inner.values = values
            var text =
                "SELECT \(DeviceTable.authorID) || '/' || _id FROM \(SQLName.quote(parent.table))"
                + (try inner.whereClause(query.conditions))
            if let limit = query.limit {
                text += try inner.orderClause(query)
                text += " LIMIT \(inner.values.add(.integer(Int64(limit))))"
            }
            values = inner.values
            return ["_parent IN (\(text))"]
        }
    }

    /// A subject as an expression of the form's table.
    ///
    /// - Throws: `StoreError.unknownField`.
    static func column(_ subject: RecordQuery.Subject, _ form: FormInfo) throws -> String {
        switch subject {
        case .id: return "_id"
        case .author: return DeviceTable.authorID
        case .created: return "_created"
        case .updated: return "_updated"
        case .state: return "_state"
        case .valid: return EntryFlags.valid(form)
        case .warnings: return EntryFlags.text("warnings", form)
        case .sent: return RecordColumns.sent(form)
        case .reviewed: return RecordColumns.reviewed(form)
        case .column(let name):
            guard let column = form.columns.first(where: { $0.name == name }) else {
                throw StoreError.unknownField(name)
            }
            return column.sql
        case .number(let name):
            return "\(RowFunctions.number)(\(try RecordSQL.column(.column(name), form)))"
        // An offset, and what ends there, come before the digits of seconds; this letter would not.
        case .clock(let name): return "rtrim(\(try RecordSQL.column(.column(name), form)), 'Z')"
        }
    }

    // MARK: Order

    /// What decides, to the last. Ids begin with the time at which they were made; by these as well
    /// where another order is wanted, so that it is the same on every device.
    static func order(_ query: RecordQuery) -> [RecordQuery.Order] {
        let isDescending = query.order.last?.isDescending ?? false
        return query.order + [
            .init(.id, isDescending: isDescending), .init(.author, isDescending: isDescending),
        ]
    }

    mutating func orderClause(_ query: RecordQuery) throws -> String {
        " ORDER BY "
            + (try RecordSQL.order(query).map {
                try RecordSQL.column($0.subject, form) + ($0.isDescending ? " DESC" : "")
            }.joined(separator: ", "))
    }

    /// What comes after a place; absent values come before all others.
    private mutating func sql(after place: Cursor) throws -> String {
        var ways: [String] = []
        var same = ""
        for (order, value) in zip(place.order, place.values) {
            let column = try RecordSQL.column(order.subject, form)
            let bound = values.add(value)
            let further =
                switch (value, order.isDescending) {
                case (.null, false): "\(column) IS NOT NULL"
                case (.null, true): "0"
                case (_, false): "\(column) > \(bound)"
                case (_, true): "(\(column) < \(bound) OR \(column) IS NULL)"
                }
            ways.append(same + further)
            same += "\(column) IS \(bound) AND "
        }
        return "(" + ways.joined(separator: " OR ") + ")"
    }
}

extension RecordQuery {
    /// The name of a choice as `selected()` looks for it.
    static func choice(_ text: [UInt8]) -> String {
        String(
            decoding: text.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(),
            as: UTF8.self)
    }
}
