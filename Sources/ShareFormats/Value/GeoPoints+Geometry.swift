internal import JSON

/// Why a geometry of GeoJSON cannot be the place of an entry.
struct GeometryFault: Error {
    let reason: String
    let hint: String
}

extension GeoPoints {
    /// The text of a place for a geometry of GeoJSON: a point, a line, or the outer ring of an area;
    /// nil where there is none.
    ///
    /// One of several parts is taken where it has one alone, as some programs write all of them.
    /// - Throws: where it is another one, or not what GeoJSON has there.
    static func text(ofGeometry geometry: JSONValue?) throws(GeometryFault) -> String? {
        guard let geometry, geometry != .null else { return nil }
        let type = geometry.object?["type"]?.string ?? ""
        guard let given = geometry.object?["coordinates"]?.array else {
            throw fault(type.isEmpty ? "is none of GeoJSON" : "is a \(type) without coordinates")
        }
        // That is how GeoJSON may say that there is no place.
        guard !given.isEmpty else { return nil }
        var (kind, coordinates) = (type, given)
        if type.hasPrefix("Multi") {
            guard given.count == 1, let only = given[0].array else {
                throw fault("is a \(type) of \(given.count) parts")
            }
            (kind, coordinates) = (String(type.dropFirst(5)), only)
        }
        switch kind {
        case "Point": return try point(.array(coordinates))
        case "LineString": return try points(coordinates)
        case "Polygon": return try points(coordinates.first?.array ?? [])
        default: throw fault("is a \(FormReader.shown(type))")
        }
    }

    private static func fault(_ reason: String) -> GeometryFault {
        GeometryFault(
            reason: "the geometry \(reason)",
            hint:
                "A place is a Point, a LineString or a Polygon, of vertices [longitude, latitude].")
    }

    private static func points(_ vertices: [JSONValue]) throws(GeometryFault) -> String {
        guard !vertices.isEmpty else { throw fault("has no vertices") }
        var texts: [String] = []
        for vertex in vertices { texts.append(try point(vertex)) }
        return texts.joined(separator: ";")
    }

    private static func point(_ json: JSONValue) throws(GeometryFault) -> String {
        let given = json.array ?? []
        let numbers = given.prefix(3).compactMap { number -> Double? in
            switch number {
            case .integer(let whole): Double(whole)
            case .double(let number): number
            default: nil
            }
        }
        guard numbers.count == min(given.count, 3), numbers.count >= 2 else {
            throw fault("has a vertex that is not two or three numbers")
        }
        return ([numbers[1], numbers[0]] + numbers.dropFirst(2))
            .map { NumberText.withoutExponent($0) }.joined(separator: " ")
    }
}
