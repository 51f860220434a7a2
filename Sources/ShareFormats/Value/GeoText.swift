package import ShareCore

/// Places as forms store them: `lat lon altitude accuracy`, the last two where they are known, in
/// degrees and metres; several points with `;` between them (ODK XForms, "Data types").
enum GeoText {
    enum Shape {
        case point, trace, area

        /// A trace has at least two points, an area three and the first again.
        fileprivate var points: Int {
            switch self {
            case .point: 1
            case .trace: 2
            case .area: 4
            }
        }
    }

    /// The text of a place as it is stored; an area that is open is closed.
    ///
    /// - Returns: Nil with a hint where it is none.
    static func stored(_ text: String, as shape: Shape) -> (text: String?, hint: String) {
        var points: [String] = []
        let parts = text.split(separator: ";").map { ValueReader.trimmed(String($0)) }
        for part in parts where !part.isEmpty {
            let found = point(part)
            guard let point = found.text else { return found }
            points.append(point)
        }
        if shape == .area, points.count >= 3, let first = points.first, points.last != first {
            points.append(first)
        }
        guard points.count >= shape.points, shape != .point || points.count == 1 else {
            return (nil, example(of: shape))
        }
        return (points.joined(separator: ";"), "")
    }

    private static func point(_ text: String) -> (text: String?, hint: String) {
        // A comma stands between two numbers or in one: where it could be either, as no number has a
        // point, it is refused.
        let mayBeDecimal =
            text.utf8.contains(UInt8(ascii: ",")) && !text.utf8.contains(UInt8(ascii: "."))
        guard !mayBeDecimal else { return (nil, example(of: .point)) }
        let parts =
            text.utf8.contains(UInt8(ascii: ","))
            ? text.split(separator: ",", omittingEmptySubsequences: false)
                .map { ValueReader.trimmed(String($0)) }
            : text.split(whereSeparator: \.isWhitespace).map(String.init)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (48...57).contains($0) || [0x2D, 0x2E].contains($0) }
                ? Double(part) : nil
        }
        guard numbers.count == parts.count, (2...4).contains(parts.count) else {
            return (nil, example(of: .point))
        }
        guard numbers[0].magnitude <= 90 else {
            return (nil, "The latitude, which comes first, is from -90 to 90.")
        }
        guard numbers[1].magnitude <= 180 else {
            return (nil, "The longitude is from -180 to 180.")
        }
        guard numbers.count < 4 || numbers[3] >= 0 else {
            return (nil, "The accuracy, which comes last, is not below 0.")
        }
        return (parts.joined(separator: " "), "")
    }

    private static func example(of shape: Shape) -> String {
        switch shape {
        case .point:
            "Write latitude and longitude in degrees with decimal points, for instance 48.2082 16.3738."
        case .trace: "At least two points, for instance 48.20 16.37; 48.21 16.38."
        case .area: "At least three points, for instance 48.20 16.37; 48.21 16.38; 48.20 16.39."
        }
    }
}

extension FieldKind {
    /// Whether two texts are the same place of this kind, written in two ways.
    package func isSamePlace(_ one: FieldValue, _ other: FieldValue) -> Bool {
        guard let shape, case .text(let one) = one, case .text(let other) = other,
            let place = GeoText.stored(one, as: shape).text
        else { return false }
        return place == GeoText.stored(other, as: shape).text
    }

    /// The shape of a place; nil for other kinds.
    var shape: GeoText.Shape? {
        switch self {
        case .geopoint: .point
        case .geotrace: .trace
        case .geoshape: .area
        default: nil
        }
    }
}
