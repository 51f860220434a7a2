import Glibc

/// Ranges of one width, side by side, into which numbers are counted; all but the last without
/// their upper end.
package struct Bins: Hashable, Sendable {
    /// Bins, but for one or two that round ends may add.
    package static let most = 50
    /// No number beyond this, or below its negative, has a place in a chart.
    package static let greatest = 1e300

    /// The lower end of the first bin.
    package let start: Double
    /// The width of each bin.
    package let width: Double
    /// How many bins there are; 0 where there are no numbers.
    package let count: Int

    /// Bins with round ends for `n` numbers from `lowest` to `highest`; none where `n` is 0.
    ///
    /// Their number follows Sturges: 1 + log2 n, at most `most`.
    /// - Parameter isWhole: whether the numbers are whole, so that no bin is narrower than 1.
    package init(_ lowest: Double, _ highest: Double, n: Int, isWhole: Bool = false) {
        guard n > 0, let low = lowest.drawable, let high = highest.drawable, low <= high else {
            (start, width, count) = (0, 1, 0)
            return
        }
        let size = max(low.magnitude, high.magnitude)
        guard isWhole ? high > low : high - low > max(size * 1e-9, 1e-290) else {
            let step = isWhole || size < 1e-290 ? 1 : Scale.step(size, intervals: 10)
            start = Self.first(low, step, isWhole: true) * step
            // They may lie on both sides of a border.
            (width, count) = (step, high > start + step ? 2 : 1)
            return
        }
        let wanted = min(Self.most, 1 + Int(log2(Double(n)).rounded(.up)))
        var step = Scale.step(high - low, intervals: wanted)
        if isWhole { step = max(step, 1) }
        let first = Self.first(low, step, isWhole: isWhole)
        var last = (high / step - (isWhole ? 0 : 1e-9)).rounded(.up)
        // A whole number at the end gets a bin of its own, as all the others have.
        if isWhole, step == 1 { last = high + 1 }
        start = first * step
        width = step
        var count = min(max(Int(last - first), 1), Self.most + 2)
        // Where doubles are further apart than the bins are exact, the last may fall short of the end.
        while start + Double(count) * step < high, count < Self.most + 2 { count += 1 }
        self.count = count
    }

    /// How many widths the first bin lies from 0; unless all numbers are whole, what is a border but for
    /// what decimals cannot say is one.
    private static func first(_ low: Double, _ step: Double, isWhole: Bool) -> Double {
        let first = (low / step + (isWhole ? 0 : 1e-9)).rounded(.down)
        return isWhole && first * step > low ? first - max(1, first.ulp) : first
    }

    /// The border before the bin of that index, or after the last one.
    package func edge(_ index: Int) -> Double { start + Double(index) * width }

    /// The bin of a number; nil where it lies outside, or is none.
    package func index(of value: Double) -> Int? {
        guard value >= start, value <= edge(count), count > 0 else { return nil }
        return min(Int((value - start) / width), count - 1)
    }
}

/// How often numbers of each size occur.
package struct Histogram: Hashable, Sendable {
    /// The ranges.
    package let bins: Bins
    /// A count for each bin.
    package let counts: [Int]
    /// The filter of each bin's entries, or none at all.
    package let filters: [String?]
    /// The axis of the numbers.
    package let x: Axis
    /// The axis of the counts.
    package let y: Axis

    /// Makes a histogram of what a query has counted.
    ///
    /// - Parameter counts: a count for each bin; what is missing counts as 0, what is beyond is
    ///   left out.
    package init(
        _ bins: Bins, counts: [Int], filters: [String?] = [], unit: String = "",
        title: String = ""
    ) {
        self.bins = bins
        self.counts = (0..<bins.count).map { $0 < counts.count ? max(0, counts[$0]) : 0 }
        self.filters = (0..<bins.count).map { $0 < filters.count ? filters[$0] : nil }
        x = Axis(.linear(bins.start...bins.edge(max(bins.count, 1))), title: title, unit: unit)
        y = Axis(
            .around(0, Double(self.counts.max() ?? 0), fromZero: true, isWhole: true),
            title: "entries")
    }

    /// A histogram of the numbers themselves; those that are not finite are passed over.
    package init(of values: [Double], unit: String = "", title: String = "") {
        let usable = values.compactMap(\.drawable)
        let bins = Bins(
            usable.min() ?? 0, usable.max() ?? 0, n: usable.count,
            isWhole: usable.allSatisfy { $0 == $0.rounded() })
        var counts = [Int](repeating: 0, count: bins.count)
        for value in usable {
            if let index = bins.index(of: value) { counts[index] += 1 }
        }
        self.init(bins, counts: counts, unit: unit, title: title)
    }

    /// The texts of the bins' borders, one more than there are bins.
    var edges: [String] {
        Numeral.ticks((0...bins.count).map(bins.edge), step: bins.width)
    }
}
