/// The numbers of a chart as rows, exact, for JSON and for the table below a chart.
package struct Table: Hashable, Sendable {
    /// A figure, a name, or nothing where there is no value.
    package enum Cell: Hashable, Sendable {
        case text(String)
        case number(Double)
        case missing

        /// The cell as people read it; empty where it is missing.
        package var text: String {
            switch self {
            case .text(let text): text
            case .number(let number): Numeral.value(number)
            case .missing: ""
            }
        }

        init(_ number: Double?) {
            self = number.map { .number($0) } ?? .missing
        }
    }

    /// The names of the columns, in English, such as `category`, `series`, `value`.
    package let columns: [String]
    /// The rows, each with a cell for each column.
    package let rows: [[Cell]]
}

extension Chart {
    /// The numbers that the chart shows, in its order; each row has a cell for each column.
    package var table: Table {
        switch plot {
        case .pie(let pie):
            Table(
                columns: ["category", "value", "percent"],
                rows: pie.slices.map {
                    [.text($0.label.text), .number($0.value), .number(Double($0.tenths) / 10)]
                })
        case .bars(let bars) where bars.grid.series == [.only]:
            Table(
                columns: ["category", "value"],
                rows: bars.grid.rows.map { [.text($0.label.text), Table.Cell($0.cells[0].value)] })
        case .bars(let bars):
            Table(
                columns: ["category", "series", "value"],
                rows: bars.grid.rows.flatMap { row in
                    zip(bars.grid.series, row.cells).map { series, cell in
                        [.text(row.label.text), .text(series.text), Table.Cell(cell.value)]
                    }
                })
        case .lines(let lines):
            lines.table
        case .histogram(let histogram):
            Table(
                columns: ["from", "to", "count"],
                rows: histogram.counts.enumerated().map { index, count in
                    [
                        .number(histogram.bins.edge(index)),
                        .number(histogram.bins.edge(index + 1)),
                        .number(Double(count)),
                    ]
                })
        case .points(let map):
            Table(
                columns: (map.isDivided ? ["series"] : []) + ["latitude", "longitude", "count"],
                rows: map.places.map {
                    (map.isDivided ? [.text(map.series[$0.series].text)] : []) + [
                        .number($0.latitude), .number(PointMap.wrapped($0.longitude)),
                        .number(Double($0.count)),
                    ]
                })
        }
    }
}

extension Lines {
    /// A row for each point; times as dates, in the zone of the chart.
    var table: Table {
        let isAlone = series.count == 1 && series[0].label == .only
        var isTime = false
        if case .time = x.scale { isTime = true }
        return Table(
            columns: (isAlone ? [] : ["series"]) + [isTime ? "time" : "x", "value"],
            rows: series.flatMap { series in
                series.points.map { point in
                    let at: Table.Cell =
                        if case .time(_, let zone, _) = x.scale {
                            .text(Calendar.text(point.x, zone: zone))
                        } else {
                            .number(point.x)
                        }
                    return (isAlone ? [] : [.text(series.label.text)]) + [at, Table.Cell(point.y)]
                }
            })
    }
}
