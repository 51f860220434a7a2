import Testing

@testable import Expressions

struct ValueTests {
    @Test(
        arguments: [
            (0.1 + 0.2, "0.30000000000000004"), (1e23, "1.0E23"), (5e-5, "5.0E-5"), (100, "100"),
            (0.001, "0.001"), (0.00099, "9.9E-4"), (12_345_678.5, "1.23456785E7"), (-0.0, "0"),
            (1.7976931348623157e308, "1.7976931348623157E308"), (2_147_483_648, "2.147483648E9"),
            (9_007_199_254_740_992, "9.007199254740992E15"), (1.0 / 3, "0.3333333333333333"),
            (123_456.789, "123456.789"), (-2.5, "-2.5"), (4.35, "4.35"), (1e-13, "0"),
            (1e22, "1.0E22"),
        ] as [(Double, String)])
    func `a number has the text that phones give it`(_ number: Double, _ text: String) {
        #expect(String(decoding: Value.text(number), as: UTF8.self) == text)
    }

    /// The standard library prints the fewest digits too, and reads exactly.
    @Test func `decimals are exact both ways`() {
        var state: UInt64 = 42
        for round in 0..<1_500 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var number = Double(bitPattern: state)
            if round % 3 == 0 { number = Double(Int64(bitPattern: state) >> 20) / 1_000 }
            if round % 7 == 0 { number = Double(bitPattern: state & 0x800F_FFFF_FFFF_FFFF) }
            guard number.isFinite, number != 0 else { continue }
            let decimal = DecimalNumber(number)
            #expect(decimal.value == number)
            let text = String(decoding: decimal.text, as: UTF8.self)
            #expect(Double(text) == number)
            let digits = "\(number)".prefix { $0 != "e" }.filter(\.isNumber)
            let fewest = digits.drop { $0 == "0" }.reversed().drop { $0 == "0" }.count
            #expect(decimal.digits.count <= max(fewest, 1), "\(number)")
        }
    }

    @Test func `texts of numbers are read to the nearest one`() {
        var state: UInt64 = 7
        for _ in 0..<1_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let text = "\(state >> 20).\(state)"
            #expect(Value.number(parsing: Array(text.utf8)) == Double(text))
            let small = "0.000000000000\(state)"
            #expect(Value.number(parsing: Array(small.utf8)) == Double(small))
        }
        let long = [UInt8](repeating: UInt8(ascii: "9"), count: 350)
        #expect(Value.number(parsing: long) == .infinity)
    }

    @Test(
        arguments: [
            (0, "1970-01-01", 4), (-1, "1969-12-31", 3), (19_782, "2024-02-29", 4),
            (-719_162, "1-01-01", 1), (11_016, "2000-02-29", 2), (-25_567, "1900-01-01", 1),
            (20_454, "2026-01-01", 4),
        ] as [(Int64, String, Int)])
    func `days are dates`(_ day: Int64, _ date: String, _ weekday: Int) {
        let fields = DateFields(localMilliseconds: day * 86_400_000 + 86_399_999)
        #expect(String(decoding: fields.date, as: UTF8.self) == date)
        #expect(fields.dayNumber == day)
        #expect(fields.dayOfWeek == weekday)
        #expect(fields.localMilliseconds == day * 86_400_000 + 86_399_999)
    }

    @Test func `a day in spring has its hour left out, and dates stay dates`() {
        let zone = Berlin()
        for (text, hours) in [("2026-03-29", 23.0), ("2026-10-25", 25), ("2026-06-01", 24)] {
            let start = Moment(parsing: Array(text.utf8), in: zone)
            let end = start.map { Moment(localDay: $0.localDay(in: zone) + 1, in: zone) }
            #expect(start.map { String(decoding: $0.fields(in: zone).date, as: UTF8.self) } == text)
            #expect(
                Double((end?.milliseconds ?? 0) - (start?.milliseconds ?? 0)) / 3_600_000 == hours)
        }
    }

    /// Summer time of 2026 in central Europe.
    private final class Berlin: Zone {
        func offset(at moment: Moment) -> Int64 {
            let summer: Range<Int64> = 1_774_746_000_000..<1_792_890_000_000
            return summer.contains(moment.milliseconds) ? 7_200_000 : 3_600_000
        }
    }
}

struct MomentTextTests {
    @Test(
        arguments: [
            (0, "2026-11-22T23:30:00.125Z"), (60, "2026-11-23T00:30:00.125+01:00"),
            (-210, "2026-11-22T20:00:00.125-03:30"), (330, "2026-11-23T05:00:00.125+05:30"),
        ] as [(Int64, String)])
    func `a moment is stored with its offset, and read again`(_ minutes: Int64, _ text: String) {
        let context = TreeContext()
        context.offset = minutes * 60_000
        let moment = Moment(milliseconds: 1_795_390_200_125)
        #expect(String(decoding: moment.dateTime(in: context), as: UTF8.self) == text)
        #expect(Moment(parsing: Array(text.utf8), in: context) == moment)
        let time = moment.time(in: context)
        #expect(Moment(parsingTime: time, today: moment, in: context)?.time(in: context) == time)
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-11-22T", "2026-11-22T25:00",
        "2026-11-22T10", "2026-11-22T10:60", "2026-11-22T10:00:00+99:00", "2026-11-22T10:00+1:2:3",
        "22/11/2026", "2026-11-22 10:00", "-5-01-01", "9999999-01-01", "x-y-z", "2026-11-22T10:00:",
    ])
    func `a text that spells no date is none`(_ text: String) {
        #expect(Moment(parsing: Array(text.utf8), in: TreeContext()) == nil)
    }
}
