import Testing

@testable import Charts

struct ScaleTests {
    @Test func `a place on an axis is the share of the range`() {
        let period = Scale.time(1000...1600, zone: 0)
        #expect(period.position(of: 1000) == 0)
        #expect(period.position(of: 1150) == 0.25)
        #expect(period.position(of: 1600) == 1)
        #expect(Scale.linear(60...140).position(of: 120) == 0.75)
        #expect(Scale.linear(-1e300...1e300).position(of: 0) == 0.5)
    }

    @Test func `a range of zero does not divide`() {
        #expect(Scale.linear(42...42).position(of: 42) == 0.5)
        #expect(Scale.time(5...5, zone: 0).position(of: 5) == 0.5)
        #expect(Scale.band([]).position(of: 0) == 0.5)
        #expect(Scale.linear(42...42).ticks(atMost: 5).map(\.text) == ["42"])
    }

    private static let round: [(Double, Double, Int, [String])] = [
        (0, 1, 6, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 7, 5, ["0", "2", "4", "6"]),
        (-3, 3, 5, ["−2", "0", "2"]),
        (0, 5e6, 6, ["0", "1M", "2M", "3M", "4M", "5M"]),
        (0, 2.5e9, 6, ["0.0", "0.5bn", "1.0bn", "1.5bn", "2.0bn", "2.5bn"]),
        (1e9, 1e9 + 2, 3, ["1,000,000,000", "1,000,000,001", "1,000,000,002"]),
        (0, 3e-9, 4, ["0", "1e−9", "2e−9", "3e−9"]),
        (0, 2e20, 3, ["0", "1e20", "2e20"]),
    ]

    @Test(arguments: round)
    func `ticks are round`(_ low: Double, _ high: Double, _ most: Int, _ texts: [String]) {
        #expect(Scale.linear(low...high).ticks(atMost: most).map(\.text) == texts)
    }

    @Test func `ticks are equidistant, inside, and no more than asked for`() {
        var noise = ChartCase.Noise()
        for _ in 0..<5000 {
            let magnitude = (noise.next() - 0.5) * 40
            var size = 1.0
            for _ in 0..<Int(abs(magnitude)) { size *= magnitude < 0 ? 0.1 : 10 }
            let low = (noise.next() - 0.5) * size
            let range = low...low + noise.next() * size + size / 1000
            let most = 2 + Int(noise.next() * 10)
            let ticks = Scale.linear(range).ticks(atMost: most)
            let length = range.upperBound - range.lowerBound
            #expect(!ticks.isEmpty && ticks.count <= most)
            #expect(Set(ticks.map(\.text)).count == ticks.count)
            for (one, next) in zip(ticks, ticks.dropFirst()) {
                let step = ticks[1].value - ticks[0].value
                #expect(abs(next.value - one.value - step) < length * 1e-9)
            }
            let slack = length * 1e-5
            #expect(
                ticks.allSatisfy { $0.value >= low - slack && $0.value <= range.upperBound + slack }
            )
        }
    }

    @Test func `counts have whole ticks`() {
        #expect(
            Scale.around(0, 1, fromZero: true, isWhole: true).ticks(atMost: 9).map(\.text)
                == ["0", "1"])
        #expect(
            Scale.around(0, 2, fromZero: true, isWhole: true).ticks(atMost: 9).map(\.text)
                == ["0", "1", "2"])
    }

    @Test func `bands have their ticks in the middle, every second where all are too many`() {
        let band = Scale.band(["a", "b", "c", "d"])
        #expect(band.position(of: 0) == 0.125)
        #expect(band.ticks(atMost: 4).map(\.text) == ["a", "b", "c", "d"])
        #expect(band.ticks(atMost: 3).map(\.text) == ["a", "c"])
    }

    @Test func `dates go round the calendar and back`() {
        for day in stride(from: -800_000, through: 800_000, by: 37) {
            #expect(Calendar.day(of: Calendar.date(ofDay: day)) == day)
        }
        #expect(Calendar.date(ofDay: 0) == Calendar.Date(year: 1970, month: 1, day: 1))
        #expect(Calendar.date(ofDay: 20_779) == Calendar.Date(year: 2026, month: 11, day: 22))
        #expect(Calendar.date(ofDay: 11_016) == Calendar.Date(year: 2000, month: 2, day: 29))
        #expect(Calendar.text(-1, zone: 0) == "1969-12-31 23:59:59")
    }

    @Test func `ticks of time follow the clock of the zone`() {
        let day = Double(20_779 * Calendar.day)
        let hours = Scale.time(day...day + 86_400, zone: 19_800).ticks(atMost: 5)
        #expect(hours.map(\.text) == ["06:00", "12:00", "18:00", "00:00"])
        #expect(hours.map(\.context) == ["22 Nov 2026", "", "", "23 Nov 2026"])
        #expect(hours[0].value == day + 21_600 - 19_800)
        let weeks = Scale.time(day...day + 30 * 86_400, zone: 0).ticks(atMost: 6)
        #expect(weeks.map(\.text) == ["23 Nov", "30 Nov", "7 Dec", "14 Dec", "21 Dec"])
        let months = Scale.time(day...day + 400 * 86_400, zone: 0).ticks(atMost: 5)
        #expect(months.map(\.text) == ["Jan", "Apr", "Jul", "Oct"])
        #expect(months.map(\.context) == ["2027", "", "", ""])
        let years = Scale.time(0...2e9, zone: 0).ticks(atMost: 8)
        #expect(years.map(\.text) == ["1970", "1980", "1990", "2000", "2010", "2020", "2030"])
    }

    @Test func `ticks of any period are few and in order`() {
        for exponent in 0...12 {
            var length = 1.0
            for _ in 0..<exponent { length *= 10 }
            for most in 1...12 {
                let ticks = Scale.time(1.7e9...1.7e9 + length, zone: -3600).ticks(atMost: most)
                #expect(ticks.count <= most)
                #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0.value < $1.value })
                if most > 4 { #expect(ticks.count >= 2, "\(length) \(most)") }
            }
        }
    }

    /// Widths of Helvetica, which Arial and Liberation Sans share, in thousandths of the size.
    @Test(arguments: [
        ("Chickenpox", 5224.0), ("1,234,567", 4448), ("WAVE", 2945), ("illicit", 1888),
    ])
    func `text is not wider than estimated, nor much narrower`(_ text: String, _ width: Double) {
        let estimate = FontWidths.width(text, size: 1000)
        #expect(estimate >= width && estimate < width * 1.35)
        #expect(FontWidths.width(text, size: 1000, isBold: true) >= estimate)
    }

    private static let written: [(Double, String)] = [
        (0, "0"), (1_234_567, "1,234,567"), (-1234.5, "−1,235"), (0.5, "0.5"), (1.0 / 3, "0.3333"),
        (12.3456, "12.35"), (99.9999, "100"), (1e15, "1e15"), (-2.5e-7, "−2.5e−7"),
        (9.999e-5, "1e−4"), (.leastNonzeroMagnitude, "4.94e−324"),
        (.greatestFiniteMagnitude, "1.8e308"),
        (999_999_999_999_999, "999,999,999,999,999"), (-0.0, "0"),
    ]

    @Test(arguments: written)
    func `numbers are written as people read them`(_ number: Double, _ text: String) {
        #expect(Numeral.value(number) == text)
    }
}
