import ShareCore
import ShareForms

/// Forms that would hold a daemon for long: each has its time for one entry, and the steps that it
/// took of those that an entry has.
struct HostileForm {
    let name: String
    let fields: String
    var lists = "{}"
    var answers = Answers()
    /// The question whose answer has just changed.
    var asked: String?

    /// Each way to spend steps, as many times as an entry has steps for.
    static var all: [HostileForm] { texts + numbers + rows + counted + choices }

    private static func long(_ text: String, _ bytes: Int = 60_000) -> FieldValue {
        .text(String(repeating: text, count: bytes / text.utf8.count))
    }

    /// 400 calculations beside answers that are long.
    private static func calculations(
        _ name: String, _ expression: String, on answer: FieldValue = .text("a"),
        count: Int = 400
    ) -> HostileForm {
        let escaped = expression.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        // A form may have 512 KiB.
        let fields = (0..<min(count, 490_000 / (escaped.utf8.count + 60))).map {
            #"{"name":"c\#($0)","type":"text","calculation":"\#(escaped)"}"#
        }
        return HostileForm(
            name: name,
            fields: #"{"name":"a","type":"text"},"# + fields.joined(separator: ","),
            answers: Answers(fields: [answer]))
    }

    private static var texts: [HostileForm] {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        let many = String(repeating: "${a}, ", count: 400)
        return [
            calculations(
                "translate, few letters", "string-length(translate(${a}, 'ab', 'ba'))",
                on: long("xy")),
            calculations(
                "translate, many letters", "translate(${a}, '\(letters)', '')", on: long("é-")),
            calculations("translate, kept", "translate(${a}, 'ab', 'ba')", on: long("ab")),
            calculations("normalize-space", "string-length(normalize-space(${a}))", on: long("a ")),
            calculations("substring", "substring(${a}, 2)", on: long("é")),
            calculations("substr", "substr(${a}, 1, 50000)", on: long("ab")),
            calculations("string-length", "string-length(${a})", on: long("ab")),
            calculations("concat", "concat(${a}, 'x')", on: long("ab")),
            calculations(
                "concat and compare", "concat(${a}, 'x') = concat(${a}, 'y')", on: long("ab")),
            calculations("concat of short ones", "concat(\(many)'x')", on: .text("abcdefgh")),
            calculations("copies of 256 KiB", "${a}", on: long("ab", 260_000), count: 450),
            calculations("compares of 256 KiB", "${a} = ${a}", on: long("ab", 260_000), count: 450),
            calculations(
                "contains", "contains(${a}, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaab')", on: long("a")),
            calculations(
                "contains, long", "contains(${a}, substring-after(${a}, 'a'))", on: long("a", 6_000)
            ),
            calculations("substring-after", "substring-after(${a}, 'b')", on: long("ab")),
            calculations("regex", "regex(${a}, '(a|b|ab)*c')", on: long("ab")),
            calculations("regex, classes", "regex(${a}, '(\\p{L}|\\w|[^x])*c')", on: long("éö")),
            calculations(
                "regex, many repetitions", "regex(${a}, '(a?){900}b')", on: long("a", 3_000)),
            calculations("regex, computed", "regex('a', concat('(a?){900}', ${a}))"),
            calculations("selected", "selected(${a}, 'zz')", on: long("z ")),
            calculations("selected-at", "selected-at(${a}, 29999)", on: long("z ")),
            calculations("count-selected", "count-selected(${a})", on: long("z ")),
            calculations("uuid", "uuid()"),
            calculations("uuid, long", "uuid(256)"),
        ]
    }

    private static var numbers: [HostileForm] {
        func list(_ term: String, _ count: Int = 300) -> String {
            "concat(" + [String](repeating: term, count: count).joined(separator: ", ") + ")"
        }
        let conditions = String(repeating: "${a} = 3 or ", count: 800)
        let digits = String(repeating: "1234567.89", count: 30).replacing(".", with: "7")
        let points = (0..<2_000).map { "\(Double($0) / 100) \(Double($0) / 50) 0 0;" }.joined()
        return [
            calculations("sums and products", list("${a} * 1.5 + ${a}"), on: .text("2")),
            calculations("conditions", "\(conditions)false()", on: .text("2")),
            calculations("numbers of texts", list("number('1.5')")),
            calculations("long numbers of texts", list("number(${a})"), on: .text(digits)),
            calculations("round", list("round(1.23456789, 3)")),
            calculations("texts of numbers", list("string(0.1 + 0.2)")),
            calculations("texts of huge numbers", list("string(pow(10, 300) * 3)")),
            calculations("dates as texts", list("format-date(today(), '%Y-%b-%d %a %W')")),
            calculations("texts as dates", list("decimal-date-time('2020-02-03T10:11:12+01:00')")),
            calculations("sines", list("sin(${a})"), on: .text("2")),
            calculations("random", list("random()")),
            calculations("distance", "distance(${a})", on: .text(points)),
            calculations("area", "area(${a})", on: .text(points)),
            calculations("geofence", "geofence('1 1', ${a})", on: .text(points)),
        ]
    }

    private static func rows(
        _ name: String, _ expression: String, count: Int = 1_000, on value: FieldValue = 1,
        beside: String = ""
    ) -> HostileForm {
        HostileForm(
            name: name,
            fields: """
                {"name":"g","type":"text"},{"name":"r","type":"repeat","fields":[
                {"name":"x","type":"text"},
                {"name":"y","type":"text","calculation":"\(expression)"}\(beside)]}
                """,
            answers: Answers(
                fields: ["b"],
                repeats: [[Answers](repeating: Answers(fields: [value]), count: count)]))
    }

    /// 45 rows of as many fields as a form may have.
    private static func wide(_ name: String, _ member: String, asked: String? = nil) -> HostileForm
    {
        let fields = (0..<450).map {
            #"{"name":"w\#($0)","type":"text",\#($0 == 1 ? #""hint":"""# : member)}"#
        }
        return HostileForm(
            name: name,
            fields: """
                {"name":"g","type":"text"},{"name":"r","type":"repeat","fields":[
                \(fields.joined(separator: ","))]}
                """,
            answers: Answers(
                fields: ["b"], repeats: [[Answers](repeating: Answers(), count: 44)]),
            asked: asked)
    }

    /// Rows that a form counts, of many fields, of each other, and in many repeats.
    private static var counted: [HostileForm] {
        let text = #"{"name":"t","type":"integer"}"#
        let many = (0..<500).map {
            #"{"name":"d\#($0)","type":"text","default":"concat(uuid(),now())"}"#
        }.joined(separator: ",")
        func several(_ count: (Int) -> String) -> String {
            (0..<60).map {
                #"""
                ,{"name":"r\#($0)","type":"repeat","repeat_count":"\#(count($0))","fields":[
                {"name":"a\#($0)","type":"text","default":"1"}]}
                """#
            }.joined()
        }
        return [
            HostileForm(
                name: "counted: rows of 500 defaults",
                fields: #"""
                    \#(text),
                    {"name":"r","type":"repeat","repeat_count":"1000","fields":[\#(many)]}
                    """#),
            HostileForm(
                name: "counted: 1,000 in each of 1,000",
                fields: #"""
                    \#(text),{"name":"r","type":"repeat","repeat_count":"1000","fields":[
                    {"name":"q","type":"repeat","repeat_count":"1000","fields":[
                    {"name":"b","type":"text"}]}]}
                    """#),
            HostileForm(
                name: "counted: 60 repeats of 1,000", fields: text + several { _ in "${t}" },
                answers: Answers(fields: [1000])),
            HostileForm(
                name: "counted: 60 repeats, each one more",
                fields: text + several { $0 == 0 ? "500" : "count(${r\($0 - 1)}) + 1" }),
        ]
    }

    private static var rows: [HostileForm] {
        let message = String(repeating: "${x}, ${g}; ", count: 1_000)
        let condition = String(repeating: ". != 'a' or ", count: 2_000) + "false()"
        let names = #"{"l":[\#((0..<2_000).map { #""nn\#($0)""# }.joined(separator: ","))]}"#
        return [
            rows("rows: sum over all", "sum(${r}/x)"),
            rows("rows: sum by path", "sum(/f/r/x)"),
            rows("rows: count over all", "count(../../r)"),
            rows("rows: count where", "count(/f/r[x > 0])"),
            rows("rows: count where the same", "count(../../r[x = current()/../x])"),
            rows("rows: join", "join(' ', /f/r/x)"),
            rows("rows: join of long", "join(' ', /f/r/x)", on: long("a", 600)),
            rows("rows: the one before", "/f/r[position() = position(current()/..) - 1]/x"),
            rows("rows: indexed-repeat", "indexed-repeat(${x}, ${r}, position(..) - 1)"),
            rows("rows: any of all", "count-non-empty(/f/*/*)"),
            rows("rows: their own", "concat(../x, ${x}, ${g})", count: 6_000),
            rows("rows: their position", "position(..)", count: 6_000),
            rows("rows: the last", "/f/r[last()]/x"),
            rows("rows: max", "max(/f/r/x)"),
            rows(
                "rows: min of dates", "min(/f/r/d)",
                beside: #",{"name":"d","type":"date","default":"2020-01-01"}"#),
            rows(
                "rows: dates compared", "count(/f/r[d > today()])",
                beside: #",{"name":"d","type":"date","default":"2020-01-01"}"#),
            rows("rows: up and down", "count(../../r/../r/../r/x)"),
            rows("rows: parents of all", "count(/f/r/x/..)", count: 6_000),
            rows(
                "rows: relevance", "1", count: 5_000,
                beside: #",{"name":"z","type":"text","relevant":"count(/f/r[x = '']) = 0"}"#),
            wide("rows: many fields", #""calculation":"1""#),
            wide("rows: many that see others", #""calculation":"concat(${w1}, ${w449})""#),
            wide("rows: many triggers", #""calculation":"1","trigger":"${g}""#, asked: "g"),
            rows(
                "rows: long messages", "1", count: 5_000,
                beside:
                    #",{"name":"z","type":"text","required":"true()","required_message":"\#(message)"}"#
            ),
            rows(
                "rows: no message", "1", count: 5_000,
                beside: #",{"name":"z","type":"text","default":"a","constraint":"\#(condition)"}"#),
            rows(
                "rows: wrong choices", "1", count: 5_000,
                beside: #",{"name":"z","type":"select_one","default":"no","list":"l"}"#
            ).with(names),
            rows(
                "rows: a repeat in each", "1", count: 500,
                beside: #"""
                    ,{"name":"q","type":"repeat","repeat_count":"20","fields":[
                    {"name":"u","type":"integer","calculation":"count(/f/r/q)"}]}
                    """#),
        ]
    }

    private static var choices: [HostileForm] {
        let rows = (0..<5_000).map {
            #"{"name":"n\#($0)","label":"Label \#($0)","k":"k\#($0 % 10)"}"#
        }
        let lists = #"{"l":[\#(rows.joined(separator: ","))]}"#
        func filtered(_ name: String, _ filter: String, type: String = "select_one") -> HostileForm
        {
            let fields = (0..<400).map {
                #"{"name":"s\#($0)","type":"\#(type)","list":"l","choice_filter":"\#(filter)"}"#
            }
            let several = (0..<900).map { "n\($0)" }.joined(separator: " ")
            let one = FieldValue.text(type == "select_one" ? "n17" : several)
            return HostileForm(
                name: name, fields: fields.joined(separator: ","), lists: lists,
                answers: Answers(fields: [FieldValue](repeating: one, count: 400)))
        }
        let names = String(repeating: "jr:choice-name(${s}, '${s}'), ", count: 100)
        let calculated = (0..<50).map {
            #"{"name":"c\#($0)","type":"text","calculation":"concat(\#(names)'')"}"#
        }
        return [
            filtered("choices: one of many, not found by an index", "contains(label, 'el')"),
            filtered("choices: one of many, by an index", "k = 'k7'"),
            filtered("choices: several", "k != 'k7'", type: "select_multiple"),
            filtered("choices: several, all there", "true()", type: "select_multiple"),
            HostileForm(
                name: "choices: labels",
                fields: #"{"name":"s","type":"select_one","list":"l"},"#
                    + calculated.joined(separator: ","),
                lists: lists, answers: Answers(fields: ["n17"])),
            calculations(
                "choices: a look into a list",
                "instance('l')/root/item[name = 'n17']/label", count: 300
            ).with(lists),
            calculations(
                "choices: looks at all of a list",
                "count(instance('l')/root/item[k != 'k3'])", count: 300
            ).with(lists),
            calculations(
                "choices: labels of a list",
                "join(' ', instance('l')/root/item[k = 'k3']/label)", count: 300
            ).with(lists),
            calculations(
                "choices: pulldata",
                "concat(\(String(repeating: "pulldata('l', 'label', 'name', 'n17'), ", count: 100))'')",
                count: 40
            ).with(lists),
        ]
    }

    fileprivate func with(_ lists: String) -> HostileForm {
        var copy = self
        copy.lists = lists
        return copy
    }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .integer(number) }
}
