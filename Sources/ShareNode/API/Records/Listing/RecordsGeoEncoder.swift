import JSON
import ShareCore
import ShareFormats
import ShareStore

/// Records as one GeoJSON document (RFC 7946): a feature each, with all values as its properties,
/// and a place of the record as its geometry.
struct RecordsGeoEncoder: RecordsEncoder {
    private let fields: [(column: Int, kind: FieldKind)]
    private var records: RecordsJSONEncoder
    private var output = JSONWriter()
    private var isFirst = true

    /// - Parameters:
    ///   - records: writes the properties, one record a line.
    ///   - places: the columns that are places; the first one of a record that has a value is its
    ///     geometry.
    init(_ records: RecordsJSONEncoder, places: [(column: Int, kind: FieldKind)]) {
        self.records = records
        fields = places
    }

    var count: Int { output.bytes.count }
    var isWhole: Bool { false }

    mutating func begin() { output.raw("{\"type\":\"FeatureCollection\",\"features\":[\n") }
    mutating func end() { output.raw("\n]}\n") }
    mutating func take() -> [UInt8] { output.take() }

    mutating func append(_ row: RecordRow) {
        if !isFirst { output.raw(",\n") }
        isFirst = false
        output.raw("{\"type\":\"Feature\",\"id\":")
        output.text(row.name.id.text)
        output.raw(",\"geometry\":")
        geometry(of: row)
        output.raw(",\"properties\":")
        records.append(row)
        var properties = records.take()
        properties.removeLast()
        output.raw(properties)
        output.raw("}")
    }

    private mutating func geometry(of row: RecordRow) {
        for (column, kind) in fields {
            guard case .text(let text) = row.values[column],
                let points = GeoPoints(text), !points.all.isEmpty
            else { continue }
            switch kind {
            case .geotrace where points.all.count > 1: shape("LineString", "[", points.all, "]")
            case .geoshape where points.all.count > 3 && points.isClosed:
                shape("Polygon", "[[", points.ring, "]]")
            default: shape("Point", "", Array(points.all.prefix(1)), "")
            }
            return
        }
        output.null()
    }

    private mutating func shape(
        _ type: String, _ before: StaticString, _ points: [GeoPoints.Point], _ after: StaticString
    ) {
        output.raw("{\"type\":")
        output.text(type)
        output.raw(",\"coordinates\":")
        output.raw(before)
        for (index, point) in points.enumerated() {
            output.raw(index == 0 ? "[" : ",[")
            output.decimal(point.longitude)
            output.raw(",")
            output.decimal(point.latitude)
            if let altitude = point.altitude {
                output.raw(",")
                output.decimal(altitude)
            }
            output.raw("]")
        }
        output.raw(after)
        output.raw("}")
    }
}
