internal import JSON

extension GeoPoints {
    /// The text of a place for a geometry of GeoJSON: a point, a line, or the outer ring of an area.
    static func text(ofGeometry geometry: JSONObject?) -> String? {
        guard let geometry, let coordinates = geometry["coordinates"]?.array else { return nil }
        func point(_ json: JSONValue) -> String? {
            let numbers = (json.array ?? [JSONValue]()).compactMap { number -> Double? in
                switch number {
                case .integer(let whole): Double(whole)
                case .double(let number): number
                default: nil
                }
            }
            guard numbers.count >= 2 else { return nil }
            return ([numbers[1], numbers[0]] + numbers.dropFirst(2).prefix(1))
                .map { NumberText.shortest($0) }.joined(separator: " ")
        }
        switch geometry["type"]?.string {
        case "Point": return point(.array(coordinates))
        case "LineString": return coordinates.compactMap(point).joined(separator: ";")
        case "Polygon":
            return (coordinates.first?.array ?? []).compactMap(point).joined(separator: ";")
        default: return nil
        }
    }
}
