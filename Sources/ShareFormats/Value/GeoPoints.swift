/// The points of a place as it is stored.
package struct GeoPoints: Hashable, Sendable {
    /// In degrees and metres.
    package struct Point: Hashable, Sendable {
        package let latitude: Double
        package let longitude: Double
        package let altitude: Double?
    }

    package let all: [Point]

    /// Nil for a text that is no place.
    package init?(_ text: String) {
        var points: [Point] = []
        for part in text.split(separator: ";") {
            let numbers = part.split(separator: " ").map { Double($0) }
            guard numbers.count >= 2, let latitude = numbers[0], let longitude = numbers[1],
                latitude.magnitude <= 90, longitude.magnitude <= 180
            else { return nil }
            let altitude = numbers.count > 2 ? numbers[2] : nil
            points.append(
                Point(
                    latitude: latitude, longitude: longitude,
                    altitude: altitude.flatMap { $0.isFinite ? $0 : nil }))
        }
        all = points
    }

    /// Whether the last point is the first again.
    package var isClosed: Bool { all.first == all.last }

    /// The points of an area against the clock, as GeoJSON wants an outer ring.
    package var ring: [Point] {
        var doubled = 0.0
        for (one, next) in zip(all, all.dropFirst()) {
            doubled += (next.longitude - one.longitude) * (next.latitude + one.latitude)
        }
        return doubled > 0 ? all.reversed() : all
    }
}

extension FieldKind {
    /// Whether its values are places.
    package var isPlace: Bool { shape != nil }

    /// Whether its values are texts that must be written in a certain way: places, an agreement.
    package var isShaped: Bool { isPlace || self == .acknowledge }
}
