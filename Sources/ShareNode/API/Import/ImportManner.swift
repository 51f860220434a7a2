import ShareControl
import ShareFormats

/// How a file is to be imported.
struct ImportManner: Sendable {
    var isRaw = false
    /// Whether it is JSON, and not CSV.
    var isJSON = false
    var habits = CSVHabits()
    /// Whether good rows are imported where others are wrong.
    var keepsGood = false
    /// Whether to say only what would be done.
    var isDryRun = false
    /// Whether rows are taken too whose entry was changed after the file was written.
    var overNewer = false
    /// Whether rows are entries as another room kept them: what the form in force has against them
    /// is no reason to refuse them, and flagged, as with entries that an earlier version took.
    var areKept = false
}

extension ImportManner {
    /// - Throws: `Problem` of `bad_request`.
    init(_ request: HTTPRequest) throws {
        isRaw = try request.flag("raw")
        switch request.query["format"] {
        case nil, "csv": break
        case "json", "ndjson", "geojson": isJSON = true
        case let format?:
            throw Problem(
                .badRequest, "no format \"\(format.prefix(40))\"",
                hint: "There are csv, json, ndjson and geojson.")
        }
        keepsGood = try request.flag("keep_good")
        isDryRun = try request.flag("dry_run")
        overNewer = try request.flag("over_newer")
        areKept = try request.flag("as_kept")
        if let dates = request.query["dates"] {
            guard let order = CSVHabits.DateOrder(rawValue: dates) else {
                throw Problem(
                    .badRequest, "no order of dates \"\(dates.prefix(40))\"",
                    hint: "There are dmy, mdy and ymd: day, month, year.")
            }
            habits.dates = order
        }
        switch request.query["decimal"] {
        case nil, ".": break
        case ",": habits.hasDecimalComma = true
        case let sign?:
            throw Problem(
                .badRequest, "no decimal sign \"\(sign.prefix(40))\"", hint: "There are , and .")
        }
        for pair in request.query.values(of: "map") {
            guard let equals = pair.lastIndex(of: "="), equals > pair.startIndex else {
                throw Problem(
                    .badRequest, "map is not COLUMN=FIELD: \"\(pair.prefix(80))\"",
                    hint: "For instance \"Household no=hh_id\".")
            }
            habits.fields[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
        }
    }
}
