/// The cell `type` of a survey row.
enum RowType: Hashable {
    case begin(Container)
    case end(Container)
    /// A question; `list` is what follows the type of a choice.
    case question(String, list: String? = nil, orOther: Bool = false)
    /// A loop over the choices of a list, which XLSForm itself has given up.
    case loop

    enum Container: String {
        case group, `repeat`
    }

    /// Reads a type as people write it: in any case, with spaces or `_` between its words.
    init(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let folded = RowType.folded(words)
        for (edge, rest) in [("begin", folded.dropFirst(6)), ("end", folded.dropFirst(4))]
        where folded.hasPrefix(edge + " ") {
            let container: Container
            switch rest {
            case "group": container = .group
            case "repeat", "lgroup", "looped group": container = .repeat
            case let other where other == "loop" || other.hasPrefix("loop "):
                self = .loop
                return
            default: continue
            }
            self = edge == "begin" ? .begin(container) : .end(container)
            return
        }
        if let choice = RowType.choice(words) {
            self = choice
            return
        }
        self = .question(RowType.aliases[folded] ?? RowType.known[folded] ?? text)
    }

    private static func choice(_ words: [String]) -> RowType? {
        guard words.count > 1 else { return nil }
        for count in (1...min(5, words.count - 1)).reversed() {
            guard let type = commands[folded(Array(words[..<count]))] else { continue }
            var list = Array(words[count...])
            var orOther = false
            for tail in [["or", "other"], ["or_other"], ["or", "specify", "other"]]
            where list.count > tail.count
                && list.suffix(tail.count).map({ $0.lowercased() }) == tail
            {
                list.removeLast(tail.count)
                orOther = true
            }
            return .question(type, list: list.joined(separator: " "), orOther: orOther)
        }
        return nil
    }

    private static func folded(_ words: [String]) -> String {
        words.joined(separator: " ").lowercased().split(separator: "_").joined(separator: " ")
    }

    /// Types whose second word is a list.
    private static let commands = [
        "select one": "select_one", "select1": "select_one", "select one from": "select_one",
        "add select one prompt using": "select_one", "select one using": "select_one",
        "select multiple": "select_multiple", "select multiple from": "select_multiple",
        "select all that apply": "select_multiple",
        "select all that apply from": "select_multiple",
        "add select multiple prompt using": "select_multiple",
        "select multiple using": "select_multiple", "rank": "rank",
        "select one external": "select_one_external",
        "select one from file": "select_one_from_file",
        "select multiple from file": "select_multiple_from_file",
        "rank from file": "rank_from_file", "osm": "osm",
    ]

    /// Other names of types.
    private static let aliases: [String: String] = {
        var aliases = [
            "string": "text", "int": "integer", "datetime": "dateTime", "date time": "dateTime",
            "photo": "image", "picture": "image", "q picture": "image", "location": "geopoint",
            "gps": "geopoint", "imei": "deviceid", "device id": "deviceid",
            "get device id": "deviceid", "start time": "start", "get start time": "start",
            "end time": "end", "get end time": "end", "get today": "today",
            "trigger": "acknowledge", "sim id": "simserial", "get sim id": "simserial",
            "subscriber id": "subscriberid", "get subscriber id": "subscriberid",
            "get phone number": "phonenumber",
        ]
        for type in [
            "text", "integer", "decimal", "date", "time", "dateTime", "note", "image", "audio",
            "video", "file", "barcode", "geopoint", "location", "calculate", "acknowledge",
        ] {
            let canonical = type == "location" ? "geopoint" : type
            aliases["add \(type.lowercased()) prompt"] = canonical
            aliases["q \(type.lowercased())"] = canonical
        }
        return aliases
    }()

    /// Types that people fill in or devices do, by their folded names.
    private static let known: [String: String] = {
        let names = [
            "text", "integer", "decimal", "range", "date", "time", "dateTime", "note", "calculate",
            "hidden", "acknowledge", "barcode", "geopoint", "geotrace", "geoshape", "image",
            "audio", "video", "file", "start", "end", "today", "deviceid", "username",
            "phonenumber", "email", "simserial", "subscriberid", "audit", "start-geopoint",
            "background-audio", "background-geopoint", "csv-external", "xml-external", "osm",
        ]
        return Dictionary(uniqueKeysWithValues: names.map { ($0.lowercased(), $0) })
    }()

    /// The names of all types of questions.
    static let names = known.values.sorted() + Set(commands.values).sorted()

    /// Whether a question of that type has choices.
    static func hasChoices(_ type: String) -> Bool {
        type != "osm" && commands.values.contains(type)
    }
}
