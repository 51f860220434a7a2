import ShareCore
import ShareTestKit
import Testing

@testable import ShareFormats

struct ValueTests {
    private static let json = """
        {"form_id":"f","fields":[
        {"name":"text","type":"text"},{"name":"whole","type":"integer","required":true},
        {"name":"part","type":"integer","x":{"unit":"%"}},{"name":"real","type":"decimal"},
        {"name":"day","type":"date"},{"name":"hour","type":"time"},{"name":"at","type":"dateTime"},
        {"name":"one","type":"select_one","list":"l"},
        {"name":"many","type":"select_multiple","list":"l"},
        {"name":"place","type":"select_one","list":"p"},
        {"name":"intro","type":"note"},{"name":"rate","type":"decimal","x":{"unit":"%"}}],
        "lists":{"l":[{"name":"yes","label":{"en":"Yes","de":"Ja"}},{"name":"no","label":"No, never"},
        {"name":"n1","label":"Same"},{"name":"n2","label":"Same"}],
        "p":[{"name":"a","label":"Été"},{"name":"b","label":"Москва"},{"name":"c","label":"Ségou"},
        {"name":"d","label":"cote"},{"name":"e","label":"côte"}]}}
        """

    private func parser() throws -> ValueParser {
        ValueParser(try Form(json: ValueTests.json.octets))
    }

    @Test(arguments: [
        ("text", " a ", FieldValue.text(" a ")), ("text", "", .absent),
        ("whole", "42", .integer(42)),
        ("whole", " +42 ", .integer(42)), ("whole", "-0", .integer(0)),
        ("whole", "-9223372036854775808", .integer(.min)), ("whole", "007", .integer(7)),
        ("part", "70%", .integer(70)), ("part", "70 %", .integer(70)), ("part", "70", .integer(70)),
        ("part", "-5%", .integer(-5)), ("real", "39.1", .decimal(39.1)),
        ("real", "-0.0", .decimal(0)),
        ("real", "1e-3", .decimal(0.001)),
        ("real", "0.1234567890123456789", .decimal(0.12345678901234568)),
        ("real", ".5", .decimal(0.5)), ("rate", "62.5%", .decimal(62.5)),
        ("day", "2026-11-21", .text("2026-11-21")), ("hour", "14:30", .text("14:30")),
        ("at", "2026-11-21T14:30:05Z", .text("2026-11-21T14:30:05Z")),
        ("at", "2026-11-21 14:30", .text("2026-11-21T14:30")), ("one", "yes", .text("yes")),
        ("one", "Ja", .text("yes")), ("one", "YES", .text("yes")), ("one", " no ", .text("no")),
        ("one", "No, never", .text("no")), ("many", "yes no", .text("yes no")),
        ("many", "yes,no,yes", .text("yes no")), ("many", "Ja, n1", .text("yes n1")),
        ("many", "n1, No, never, Ja", .text("n1 no yes")), ("many", "No, never", .text("no")),
        ("place", "été", .text("a")), ("place", "ÉTÉ", .text("a")), ("place", "ete", .text("a")),
        ("place", "москва", .text("b")), ("place", "МОСКВА", .text("b")),
        ("place", "SEGOU", .text("c")), ("place", "COTE", .text("d")),
        ("place", "côte", .text("e")), ("hour", "9:30", .text("09:30")),
        ("at", "2026-11-21 9:30", .text("2026-11-21T09:30")),
        ("at", "2026/1/2 9:30 pm", .text("2026-01-02T21:30")),
        ("day", "2026/1/2", .text("2026-01-02")), ("hour", "9:30 pm", .text("21:30")),
        ("many", " ", .absent), ("WHOLE", "1", .integer(1)), ("day", "  ", .absent),
    ])
    func `what people type becomes a value`(
        field: String, text: String, value: FieldValue
    ) throws {
        let parser = try parser()
        #expect(try parser.value(text, at: parser.position(of: field)) == value)
    }

    @Test(arguments: [
        (
            "whole", "abc", "field whole wants a whole number, not \"abc\"",
            "For instance 42."
        ),
        (
            "whole", "5.0", "field whole wants a whole number, not \"5.0\"",
            "Write 5, without decimals."
        ),
        (
            "whole", "1,000", "field whole wants a whole number, not \"1,000\"",
            "Write the digits alone, without separators."
        ),
        (
            "whole", "70,5", "field whole wants a whole number, not \"70,5\"",
            "A whole number has no decimals, and no separators."
        ),
        (
            "whole", "9223372036854775808",
            "field whole wants a whole number, not \"9223372036854775808\"",
            "The number is too large."
        ),
        (
            "whole", "70%", "field whole wants a whole number, not \"70%\"",
            "This field is not in percent; write the number alone."
        ),
        (
            "part", "70%%", "field part wants a whole number of percent, not \"70%%\"",
            "For instance 70%."
        ),
        (
            "real", "39,1", "field real wants a number, not \"39,1\"",
            "The decimal sign is a point, and thousands are not separated: 1234.5."
        ),
        (
            "real", "nan", "field real wants a number, not \"nan\"",
            "Where nothing is known leave it empty."
        ),
        (
            "real", "inf", "field real wants a number, not \"inf\"",
            "Only finite numbers can be stored."
        ),
        (
            "real", "1e999", "field real wants a number, not \"1e999\"",
            "The number is too large."
        ),
        (
            "real", "0x10", "field real wants a number, not \"0x10\"",
            "For instance 36.8."
        ),
        ("real", "1e", "field real wants a number, not \"1e\"", "For instance 36.8."),
        ("real", ".", "field real wants a number, not \".\"", "For instance 36.8."),
        (
            "day", "21/11/2026", "field day wants a date, not \"21/11/2026\"",
            "Write year-month-day, for instance 2026-11-21."
        ),
        (
            "day", "31.11.2026", "field day wants a date, not \"31.11.2026\"",
            "There is no such day. Write year-month-day, for instance 2026-11-21."
        ),
        (
            "day", "1.2.3.2026", "field day wants a date, not \"1.2.3.2026\"",
            "Write year-month-day, for instance 2026-11-21."
        ),
        (
            "day", "2026-02-29", "field day wants a date, not \"2026-02-29\"",
            "There is no such day. Write year-month-day, for instance 2026-11-21."
        ),
        (
            "hour", "25:00", "field hour wants a time, not \"25:00\"",
            "There is no such time. For instance 14:30 or 14:30:05."
        ),
        ("hour", "9", "field hour wants a time, not \"9\"", "For instance 14:30 or 14:30:05."),
        (
            "day", "0026-10-01", "field day wants a date, not \"0026-10-01\"",
            "Years before 1000 are not taken. Write year-month-day, for instance 2026-11-21."
        ),
        (
            "day", "1/2/2026", "field day wants a date, not \"1/2/2026\"",
            "It may be 2026-01-02 or 2026-02-01: write it in that order."
        ),
        (
            "at", "0026-10-01T10:00", "field at wants a date and time, not \"0026-10-01T10:00\"",
            "Years before 1000 are not taken. For instance 2026-11-21T14:30."
        ),
        (
            "at", "2026-10-01", "field at wants a date and time, not \"2026-10-01\"",
            "The time is missing. For instance 2026-11-21T14:30."
        ),
        (
            "at", "22.11.2026 9:30", "field at wants a date and time, not \"22.11.2026 9:30\"",
            "Write it so: 2026-11-22T09:30."
        ),
        (
            "real", "1,234", "field real wants a number, not \"1,234\"",
            "It may be 1.234 or 1234: write it so."
        ),
        (
            "whole", "1.000", "field whole wants a whole number, not \"1.000\"",
            "Write 1 or 1000, without a point."
        ),
        (
            "at", "2026-11-21T25:00", "field at wants a date and time, not \"2026-11-21T25:00\"",
            "There is no such time. For instance 2026-11-21T14:30."
        ),
        ("place", "Segoo", "field place has no choice \"Segoo\"", "Did you mean Ségou?"),
        ("one", "maybe", "field one has no choice \"maybe\"", "There are Yes, no, n1, n2."),
        (
            "one", "Same", "field one: two are called Same: n1, n2",
            "Give its name: n1, for instance."
        ),
        ("one", "yess", "field one has no choice \"yess\"", "Did you mean Yes?"),
        ("many", "yes maybe", "field many has no choice \"maybe\"", "There are Yes, no, n1, n2."),
        ("whle", "1", "the form f has no field \"whle\"", "Did you mean whole?"),
        ("intro", "1", "field intro is only shown; it keeps no value", "Leave intro out."),
    ])
    func `what cannot be a value is refused in words`(
        field: String, text: String, message: String, hint: String
    ) throws {
        let parser = try parser()
        #expect {
            try parser.value(text, at: parser.position(of: field))
        } throws: {
            let error = $0 as? ValueError
            #expect(error?.description == message)
            #expect(error?.hint == hint)
            return error != nil
        }
    }

    @Test func `values with a type are checked too`() throws {
        let parser = try parser()
        let real = try parser.position(of: "real")
        let day = try parser.position(of: "day")
        #expect(try parser.value(.integer(3), at: real) == .decimal(3))
        #expect(try parser.value(.decimal(-0.0), at: real) == .decimal(0))
        #expect(throws: ValueError.self) { try parser.value(.decimal(.nan), at: real) }
        #expect(throws: ValueError.self) { try parser.value(.integer(3), at: day) }
        #expect(throws: ValueError.self) { try parser.value(.decimal(3.5), at: 1) }
        #expect(try parser.value(.text("2026-11-21"), at: day) == .text("2026-11-21"))
        let long = String(repeating: "a", count: FormLimits.valueBytes)
        #expect(try parser.value(long, at: 0) == .text(long))
        #expect(throws: ValueError.self) { try parser.value(long + "a", at: 0) }
        #expect(throws: ValueError.self) {
            try parser.checkSize(Array(repeating: .text(long), count: 4))
        }
    }

    @Test func `a value is shown as people write it`() throws {
        let parser = try parser()
        let show = { (value: FieldValue, name: String) throws -> String in
            parser.text(value, at: try parser.position(of: name))
        }
        #expect(try show(.integer(70), "part") == "70%")
        #expect(try show(.decimal(181), "real") == "181")
        #expect(try show(.decimal(62.5), "rate") == "62.5%")
        #expect(try show(.absent, "part") == "")
        let many = try parser.position(of: "many")
        #expect(parser.label(.text("yes no"), at: many, language: "de") == "Ja, No, never")
    }

    @Test func `a required field must have a value`() throws {
        let parser = try parser()
        var values = [FieldValue](repeating: .absent, count: parser.form.stored.count)
        #expect(throws: ValueError.required(field: "whole")) { try parser.check(values) }
        values[1] = .integer(0)
        try parser.check(values)
    }

    @Test func `every number reads back to the bit`() throws {
        var seed = SeededRandom(seed: TestSeed.printed())
        let parser = try parser()
        for _ in 0..<5_000 {
            let whole = Int64(bitPattern: seed.next()) >> Int64.random(in: 0..<64, using: &seed)
            #expect(try parser.value(parser.text(.integer(whole), at: 1), at: 1) == .integer(whole))
            let bits = Double(bitPattern: seed.next())
            let short = Double(Int64.random(in: -99_999...99_999, using: &seed)) / 1_000
            for number in [bits, short] where number.isFinite {
                let text = parser.text(.decimal(number), at: 3)
                #expect(try parser.value(text, at: 3) == .decimal(number), "\(text)")
            }
        }
    }
}
