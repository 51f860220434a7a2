/// Functions of places on a sphere. A point is `latitude longitude [altitude accuracy]`, a line or
/// a shape is points with semicolons between them.
extension Evaluator {
    private struct Point {
        let latitude: Double
        let longitude: Double
    }

    private static let earthRadius = 6_378_100.0

    mutating func geoFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        switch function {
        case .area, .enclosedArea:
            return .number(area(try points(at: arguments[0], focus)))
        case .distance where arguments.count > 1:
            var points: [Point] = []
            for argument in arguments { points.append(try point(try text(argument, focus)[...])) }
            return .number(length(points))
        case .distance:
            if terms[arguments[0]].type == .nodes {
                return .number(length(try points(at: arguments[0], focus)))
            }
            guard case .string(let text) = try value(arguments[0], focus) else {
                throw EvaluationError(.mismatch)
            }
            return .number(length(try points(in: text)))
        default:
            let point = try point(try text(arguments[0], focus)[...])
            return .boolean(contains(point, try points(at: arguments[1], focus)))
        }
    }

    /// The points of one line or shape, or of a repeated point.
    private mutating func points(
        at id: Term.ID, _ focus: Focus
    ) throws(EvaluationError) -> [Point] {
        let nodes = try nodeArgument(id, focus)
        if nodes.count == 1 {
            return try points(in: try text(try value(of: nodes[0])))
        }
        var points: [Point] = []
        for node in nodes {
            points.append(try point(try text(try value(of: node))[...]))
        }
        return points
    }

    private mutating func points(in text: [UInt8]) throws(EvaluationError) -> [Point] {
        var parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        var points: [Point] = []
        for part in parts { points.append(try point(part)) }
        return points
    }

    /// Missing numbers are 0.
    private mutating func point(_ text: ArraySlice<UInt8>) throws(EvaluationError) -> Point {
        try budget.spend(8 + text.count)
        let numbers = Array(text).words.map { Value.number(parsing: Array($0)) }
        guard numbers.count <= 4, !numbers.contains(where: { $0.isNaN }) else {
            throw EvaluationError(.mismatch)
        }
        return Point(
            latitude: numbers.first ?? 0, longitude: numbers.count > 1 ? numbers[1] : 0)
    }

    private func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }

    /// Metres along the points, each part by the spherical law of cosines.
    private func length(_ points: [Point]) -> Double {
        zip(points, points.dropFirst()).reduce(0) { sum, pair in
            let (a, b) = (radians(pair.0.latitude), radians(pair.1.latitude))
            let turn = radians(pair.0.longitude - pair.1.longitude)
            let cosine =
                context.compute(.sin, a, 0) * context.compute(.sin, b, 0)
                + context.compute(.cos, a, 0) * context.compute(.cos, b, 0)
                * context.compute(.cos, turn, 0)
            return sum + context.compute(.acos, cosine, 0) * Evaluator.earthRadius
        }
    }

    /// Square metres, on a plane that touches at the first point.
    private func area(_ points: [Point]) -> Double {
        guard points.count >= 3, let origin = points.first else { return 0 }
        let metres = 2 * Evaluator.earthRadius * .pi / 360
        let plane = points.dropFirst().map { point in
            let shrunk = context.compute(.cos, radians(point.latitude), 0)
            return (
                x: (point.longitude - origin.longitude) * metres * shrunk,
                y: (point.latitude - origin.latitude) * metres
            )
        }
        return zip(plane, plane.dropFirst())
            .reduce(0) { $0 + ($1.0.y * $1.1.x - $1.0.x * $1.1.y) / 2 }.magnitude
    }

    /// Counts the sides that a ray from the point crosses; the shape's last point is its first.
    private func contains(_ point: Point, _ shape: [Point]) -> Bool {
        var isInside = false
        for (a, b) in zip(shape, shape.dropFirst())
        where (b.latitude > point.latitude) != (a.latitude > point.latitude) {
            let slope = (a.longitude - b.longitude) / (a.latitude - b.latitude)
            if point.longitude < slope * (point.latitude - b.latitude) + b.longitude {
                isInside.toggle()
            }
        }
        return isInside
    }
}
