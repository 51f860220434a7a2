import ShareControl
import ShareFormats

/// Places put together by the cells of a grid, so that there are never too many of them.
struct PointCells {
    private struct Cell: Hashable {
        let x: Int
        let y: Int
        let group: Int
    }

    private var counts: [Cell: Int] = [:]
    /// The width of a cell in millionths of a degree.
    private var width = 1

    private static let most = 4_096

    /// Adds a geopoint: latitude, longitude, and what is not looked at.
    ///
    /// - Returns: false for a text that is none.
    mutating func add(_ text: String, of group: Int) -> Bool {
        let parts = text.split(separator: " ")
        guard parts.count >= 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
            latitude.magnitude <= 90, longitude.magnitude <= 180
        else { return false }
        counts[cell(longitude * 1e6, latitude * 1e6, group), default: 0] += 1
        while counts.count > PointCells.most {
            width *= 4
            var wider: [Cell: Int] = [:]
            for (position, count) in counts {
                let cell = Cell(x: position.x >> 2, y: position.y >> 2, group: position.group)
                wider[cell, default: 0] += count
            }
            counts = wider
        }
        return true
    }

    private func cell(_ x: Double, _ y: Double, _ group: Int) -> Cell {
        Cell(
            x: Int((x / Double(width)).rounded(.down)),
            y: Int((y / Double(width)).rounded(.down)), group: group)
    }

    /// The middles of the cells.
    var points: [PointAnswer] {
        let middle = width == 1 ? 0 : Double(width) / 2
        return counts.map { position, count in
            PointAnswer(
                longitude: (Double(position.x * width) + middle) / 1e6,
                latitude: (Double(position.y * width) + middle) / 1e6, entries: count,
                group: position.group)
        }.sorted {
            ($0.latitude, $0.longitude, $0.group ?? 0) < ($1.latitude, $1.longitude, $1.group ?? 0)
        }
    }
}
