package import ShareCore

/// The type of a field, by its name in XLSForm.
package enum FieldKind: Hashable, Sendable {
    case text, integer, decimal, range, date, time, dateTime
    case selectOne, selectMultiple, rank
    case selectOneFromFile, selectMultipleFromFile, rankFromFile
    case note, calculate, hidden, acknowledge, barcode
    case geopoint, geotrace, geoshape
    case image, audio, video, file
    case start, end, today, deviceID, username
    /// A type that we do not know: kept as text, under its own name.
    case unknown(String)

    private static let known: [(name: String, kind: FieldKind)] = [
        ("text", .text), ("integer", .integer), ("decimal", .decimal), ("range", .range),
        ("date", .date), ("time", .time), ("dateTime", .dateTime),
        ("select_one", .selectOne), ("select_multiple", .selectMultiple), ("rank", .rank),
        ("select_one_from_file", .selectOneFromFile),
        ("select_multiple_from_file", .selectMultipleFromFile),
        ("rank_from_file", .rankFromFile), ("note", .note), ("calculate", .calculate),
        ("hidden", .hidden), ("acknowledge", .acknowledge), ("barcode", .barcode),
        ("geopoint", .geopoint), ("geotrace", .geotrace), ("geoshape", .geoshape),
        ("image", .image), ("audio", .audio), ("video", .video), ("file", .file),
        ("start", .start), ("end", .end), ("today", .today), ("deviceid", .deviceID),
        ("username", .username),
    ]

    /// The names of all types that have a meaning here.
    package static let names: [String] = known.map(\.name)

    package init(name: String) {
        self = FieldKind.known.first { $0.name == name }?.kind ?? .unknown(name)
    }

    /// The name in XLSForm.
    package var name: String {
        if case .unknown(let name) = self { return name }
        return FieldKind.known.first { $0.kind == self }?.name ?? ""
    }

    /// How its values are stored; nil for what only shows something.
    package var storage: StorageType? {
        switch self {
        case .note: nil
        case .integer: .integer
        case .decimal, .range: .decimal
        case .date, .today: .date
        case .time: .time
        case .dateTime, .start, .end: .dateTime
        case .text, .selectOne, .selectMultiple, .rank, .selectOneFromFile,
            .selectMultipleFromFile, .rankFromFile, .calculate, .hidden, .acknowledge, .barcode,
            .geopoint, .geotrace, .geoshape, .image, .audio, .video, .file, .deviceID, .username,
            .unknown:
            .text
        }
    }

    /// Whether its values are choices of a list.
    package var isChoice: Bool {
        switch self {
        case .selectOne, .selectMultiple, .rank: true
        default: isFromFile
        }
    }

    /// Whether the list of its choices may lie outside the form.
    package var isFromFile: Bool {
        self == .selectOneFromFile || self == .selectMultipleFromFile || self == .rankFromFile
    }

    /// Whether a value is several choices, separated by one space.
    package var isSeveral: Bool {
        switch self {
        case .selectMultiple, .rank, .selectMultipleFromFile, .rankFromFile: true
        default: false
        }
    }

    /// Whether the device fills it in when an entry is begun or saved.
    package var isMetadata: Bool {
        switch self {
        case .start, .end, .today, .deviceID, .username: true
        default: false
        }
    }

    /// What other programs know of the device or its user; here it stays empty.
    private static let deviceData: Set<String> = [
        "phonenumber", "email", "simserial", "subscriberid", "audit", "start-geopoint",
        "background-audio",
    ]

    /// Whether the value comes from the device rather than from a person, so that it can never
    /// be required of one.
    package var isAutomatic: Bool {
        switch self {
        case .calculate, .hidden, .start, .end, .today, .deviceID, .username, .note: true
        case .unknown(let type): FieldKind.deviceData.contains(type)
        default: false
        }
    }

    /// Whether the value will be an attachment.
    package var isMedia: Bool {
        switch self {
        case .image, .audio, .video, .file: true
        default: false
        }
    }
}

extension FieldKind {
    /// The type that a person may have meant by one that is not known.
    static func hint(forUnknown type: String) -> String? {
        switch type.lowercased() {
        case "number", "numeric": return "did you mean integer or decimal?"
        case "percent", "percentage": return "did you mean integer with \"x\": {\"unit\": \"%\"}?"
        case "int", "whole", "long": return "did you mean integer?"
        case "float", "double", "real": return "did you mean decimal?"
        case "string", "multiline", "varchar", "phone": return "did you mean text?"
        case let type where deviceData.contains(type): return nil
        case "toggle", "boolean", "bool", "yes_no", "yesno":
            return "did you mean select_one with a list of yes and no?"
        case "list", "select", "choice", "select1": return "did you mean select_one?"
        case "photo", "picture": return "did you mean image?"
        case "datetime", "timestamp": return "did you mean dateTime?"
        default:
            return Suggestion.nearest(to: type, among: FieldKind.names).map {
                "did you mean \($0)?"
            }
        }
    }
}
