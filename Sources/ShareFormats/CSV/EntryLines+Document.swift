internal import JSON

/// Entries of a GeoJSON document: its features.
extension EntryLines {
    mutating func document(_ body: (ImportedEntry) -> Void) {
        let tree: JSONValue
        do {
            tree = try JSONValue(text: rest)
        } catch {
            return fail("\(error)")
        }
        guard let features = tree.object?["features"]?.array else {
            return fail("the document has no list of features")
        }
        for feature in features {
            beginFeature()
            take(feature: feature, body)
        }
    }

    private mutating func take(feature: JSONValue, _ body: (ImportedEntry) -> Void) {
        let object = feature.object
        let given = object?["properties"] ?? .null
        guard let object, given == .null || given.object != nil else {
            return refuse(
                feature.text[...],
                object == nil
                    ? "the feature is \(feature.kind), and no object"
                    : "the properties of the feature are \(given.kind), and no object",
                "For instance {\"type\": \"Feature\", \"geometry\": null, \"properties\": {}}.")
        }
        var properties = given.object ?? JSONObject()
        var fault: ImportProblem?
        if let field = parser.form.stored.first(where: { $0.kind.isPlace })?.name,
            properties[field] == nil
        {
            do throws(GeometryFault) {
                if let text = try GeoPoints.text(ofGeometry: object["geometry"]) {
                    properties[field] = .string(text)
                }
            } catch {
                fault = problem(field, error.reason, error.hint)
            }
        }
        take(properties, JSONValue.object(properties).text[...], besides: fault, body)
    }
}

/// Looks in the first object of a file whether it is a document of GeoJSON, which says of which type
/// it is among its own members; an entry has its fields there.
struct FirstObject {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isValue = false
    /// The beginning of the text that is read among the members of the object itself.
    private var text: [UInt8] = []
    private var key: [UInt8] = []
    private static let longest = 32

    /// Takes the next bytes; nil where more are needed.
    mutating func isCollection(_ bytes: ArraySlice<UInt8>) -> Bool? {
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 1, let answer = endText() { return answer }
                    continue
                }
                if text.count < Self.longest { text.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                text = []
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return false }
            case UInt8(ascii: ":") where depth == 1: isValue = true
            case UInt8(ascii: ",") where depth == 1: isValue = false
            default: if depth == 0, byte > 0x20 { return false }
            }
        }
        return nil
    }

    private mutating func endText() -> Bool? {
        guard isValue else {
            key = text
            return nil
        }
        guard key.elementsEqual("type".utf8) else { return nil }
        return text.elementsEqual("FeatureCollection".utf8)
    }
}
