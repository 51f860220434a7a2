internal import JSON
internal import ShareFormats

/// How a type of question appears in an XForm.
struct XFormType {
    /// The type of its values.
    let value: String
    /// The element of its control; nil where people do not see it.
    let control: String?
    /// Further attributes of its bind and of its control.
    let bind: [(name: String, value: String)]
    let attributes: [(name: String, value: String)]

    private init(
        value: String, _ control: String? = "input", bind: [(String, String)] = [],
        attributes: [(String, String)] = []
    ) {
        self.value = value
        self.control = control
        self.bind = bind
        self.attributes = attributes
    }

    init(_ type: String) {
        switch type {
        case "integer": self.init(value: "int")
        case "decimal", "date", "time", "dateTime", "barcode", "geopoint", "geotrace", "geoshape":
            self.init(value: type)
        case "select_one", "select_one_from_file": self.init(value: "string", "select1")
        case "select_multiple", "select_multiple_from_file": self.init(value: "string", "select")
        case "rank", "rank_from_file": self.init(value: "odk:rank", "odk:rank")
        case "note": self.init(value: "string", bind: [("readonly", "true()")])
        case "calculate", "hidden": self.init(value: "string", nil)
        case "acknowledge": self.init(value: "string", "trigger")
        case "range": self.init(value: "int", "range")
        case "image", "audio", "video", "osm":
            self.init(value: "binary", "upload", attributes: [("mediatype", "\(type)/*")])
        case "file":
            self.init(value: "binary", "upload", attributes: [("mediatype", "application/*")])
        case "start", "end":
            self.init(value: "dateTime", nil, bind: XFormType.preload("timestamp", type))
        case "today": self.init(value: "date", nil, bind: XFormType.preload("date", type))
        case "deviceid", "username", "phonenumber", "email", "simserial", "subscriberid":
            self.init(value: "string", nil, bind: XFormType.preload("property", type))
        case "audit", "background-audio": self.init(value: "binary", nil)
        case "start-geopoint", "background-geopoint": self.init(value: "geopoint", nil)
        default: self.init(value: "string")
        }
    }

    private static func preload(_ source: String, _ name: String) -> [(String, String)] {
        [("jr:preload", source), ("jr:preloadParams", name)]
    }

    /// Parameters that are attributes of the bind.
    static func bindParameters(_ node: FormNode) -> [(name: String, value: String)] {
        let prefixed: [(parameter: String, prefix: String)] =
            switch node.type {
            case "image": [("max-pixels", "orx:")]
            case "audio": [("quality", "odk:")]
            case "geopoint", "geotrace", "geoshape": [("allow-mock-accuracy", "odk:")]
            case "audit":
                [
                    "track-changes", "track-changes-reasons", "identify-user", "location-priority",
                    "location-min-interval", "location-max-age",
                ].map { ($0, "odk:") }
            default: []
            }
        return prefixed.compactMap { name, prefix in
            node.parameter(name).map { (prefix + name, $0) }
        }
    }

    /// Parameters that are attributes of the control, by their names there.
    static func controlParameters(_ node: FormNode) -> [(name: String, value: String)] {
        let names: [(parameter: String, attribute: String)] =
            switch node.type {
            case "range":
                [
                    ("start", "start"), ("end", "end"), ("step", "step"),
                    ("tick_interval", "odk:tick-interval"), ("placeholder", "odk:placeholder"),
                ]
            case "text": [("rows", "rows")]
            case "image": [("app", "intent")]
            case "geopoint":
                [
                    ("capture-accuracy", "accuracyThreshold"),
                    ("warning-accuracy", "unacceptableAccuracyThreshold"),
                ]
            case "geotrace", "geoshape": [("incremental", "incremental")]
            default: []
            }
        let range = node.type == "range" ? ranged(node) : nil
        return names.compactMap { parameter, attribute in
            (range?[parameter]?.plainText ?? node.parameter(parameter)).map { (attribute, $0) }
        }
    }

    /// Whether a range has steps of whole numbers.
    static func isWhole(_ node: FormNode) -> Bool {
        let parameters = ranged(node)
        return ["start", "end", "step", "tick_interval", "placeholder"].allSatisfy { name in
            guard let value = parameters[name]?.plainText.flatMap(Double.init) else { return true }
            return value == value.rounded()
        }
    }

    private static func ranged(_ node: FormNode) -> JSONObject {
        RangeParameters.written(node.json["parameters"]?.object)
    }
}
