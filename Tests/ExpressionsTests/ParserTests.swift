import Testing

@testable import Expressions

struct ParserTests {
    @Test(
        arguments: [
            ("${a} = ", 7, "", "a value", "Something is missing at the end."),
            ("(1 + 2", 6, "", "a closing parenthesis", "Something is missing at the end."),
            ("1 + 2)", 5, ")", "an operator or the end", nil),
            ("${a} == 1", 6, "=", "a value", "Equality is written with one =."),
            (
                "${a} AND ${b}", 5, "AND", "an operator or the end",
                "Operators are written small: and, or."
            ),
            ("${a = 1", 7, "", "a closing brace", "A field is written ${name}."),
            ("'abc", 4, "", "a closing quote", "The text begins at offset 0."),
            ("${a} ! 1", 5, "!", "an operator", "Unequal is written !=, and negation not(...)."),
            ("if(${a}, 1)", 0, "if", "3 arguments", "if() has 2 here."),
            ("round()", 0, "round", "1 or 2 arguments", "round() has 0 here."),
            ("join()", 0, "join", "at least 1 arguments", "join() has 0 here."),
            (
                "concat(" + [String](repeating: "1", count: 1_001).joined(separator: ",") + ")", 0,
                "concat", "at most 1000 arguments", "concat() has 1001 here."
            ),
            ("sum(1 + 2)", 4, "1", "a field", "sum() takes a field, not a value."),
            (
                "indexed-repeat(${a}, ${b}, 1, ${c})", 0, "indexed-repeat", "3 to 11 arguments",
                "indexed-repeat() has 4 here."
            ),
            ("a[", 2, "", "a value", "Something is missing at the end."),
            ("/data/", 6, "", "the name of a step", "Something is missing at the end."),
            ("", 0, "", "a value", "Something is missing at the end."),
            ("${}", 2, "}", "the name of a field", nil),
            ("ñ ñ", 3, "ñ", "an operator or the end", nil),
        ] as [(String, Int, String, String, String?)])
    func `an error says where, what was found, and what is expected`(
        _ source: String, _ offset: Int, _ found: String, _ expected: String, _ hint: String?
    ) throws {
        guard case .invalid(let error) = Expression.parse(Array(source.utf8)) else {
            Issue.record("no error")
            return
        }
        #expect(error.offset == offset)
        #expect(String(decoding: error.found, as: UTF8.self) == found)
        #expect(String(decoding: error.expected, as: UTF8.self) == expected)
        #expect(error.hint.map { String(decoding: $0, as: UTF8.self) } == hint)
    }

    @Test(
        arguments: [
            (
                "string-lenght(${a}) > 3", "the function string-lenght()", 0,
                "Did you mean string-length()?"
            ),
            (
                "1 + cht:extension-lib(${a}, ${b})", "the function cht:extension-lib()",
                4, nil
            ),
            ("digest('a', 'MD5')", "the function digest()", 0, nil),
            ("//a", "the step //", 0, nil),
            ("a/@b", "an attribute", 2, nil),
            ("a | b", "a union of paths", 2, nil),
            ("child::a", "a named axis", 0, nil),
            ("$a", "a variable", 0, nil),
            ("(a)[1]", "a path that begins with parentheses", 0, nil),
            ("instance(${a})/root", "instance() without the name of a list in quotes", 9, nil),
            ("regex(., '(a)\\1')", "a backreference in a regular expression", 14, nil),
            ("regex(., 'a(?=b)')", "look-around in a regular expression", 14, nil),
            ("regex(., '[')", "a class without its closing bracket", 11, nil),
        ] as [(String, String, Int, String?)])
    func `what cannot be evaluated is said with its place`(
        _ source: String, _ what: String, _ offset: Int, _ hint: String?
    ) {
        guard case .unsupported(let found) = Expression.parse(Array(source.utf8)) else {
            Issue.record("supported")
            return
        }
        #expect(String(decoding: found.what, as: UTF8.self) == what)
        #expect(found.offset == offset)
        #expect(found.hint.map { String(decoding: $0, as: UTF8.self) } == hint)
    }

    @Test func `the references of an expression with an unknown function are known`() {
        guard case .unsupported(let found) = Expression.parse(Array("nosuch(${a}) + ${b}".utf8))
        else {
            Issue.record("supported")
            return
        }
        #expect(found.references.map(\.root) == [.field(Array("a".utf8)), .field(Array("b".utf8))])
    }

    @Test(arguments: [
        ("${a} + 1", ValueType.number), ("${a} = 1 and ${b}", .boolean), ("concat(${a})", .string),
        ("today()", .date), ("${a}", .nodes), ("if(${a}, 1, 2)", .number), ("if(1, 'a', 2)", .any),
        ("-${a}", .number), ("regex(., 'a')", .boolean), ("coalesce(${a}, 'x')", .any),
    ])
    func `a term has a type`(_ source: String, _ type: ValueType) throws {
        #expect(try parsed(source).type == type)
    }

    @Test func `terms stand before the terms that use them`() throws {
        let expression = try parsed("if(${a} > 1 or not(${b}), concat('x', ./c[d = 2]), -3)")
        for (id, term) in expression.terms.enumerated() {
            let operands: [Term.ID] =
                switch term.kind {
                case .number, .string: []
                case .negation(let operand), .match(let operand, _): [operand]
                case .binary(_, let left, let right): [left, right]
                case .logical(_, let operands), .call(_, let operands): operands
                case .path(let path): path.steps.flatMap { $0.predicates.map(\.condition) }
                }
            #expect(operands.allSatisfy { $0 < id })
        }
        #expect(expression.root == expression.terms.count - 1)
    }

    @Test func `an expression with time or chance in it is volatile`() throws {
        #expect(try parsed("today() - ${born}").isVolatile)
        #expect(try parsed("if(1, random(), 2)").isVolatile)
        #expect(try !parsed("date('2020-01-01') - ${born}").isVolatile)
    }

    @Test(arguments: ["‘a’ = “a”", "’a‘ = \"a\"", "'a' =\u{A0}'a'", "'a'='a'or'b'"])
    func `typographic quotes and spaces are read`(_ source: String) {
        let context = TreeContext()
        context.add("data")
        #expect(evaluate(source, in: context) == .value(true))
    }

    @Test func `a hyphen belongs to a name, and after a field it is a minus`() {
        let context = TreeContext()
        let data = context.add("data")
        context.add("a", to: data, 5)
        context.add("a-1", to: data, "name")
        #expect(evaluate("${a}-1", in: context) == .value(4))
        #expect(evaluate("a-1", in: context) == .value("name"))
        #expect(evaluate("a -1", in: context) == .value(4))
        #expect(evaluate("${ a }", in: context) == .value(5))
    }
}

struct ReferenceTests {
    private func targets(_ source: String, at field: String) throws -> [String?] {
        try parsed(source).references.map { reference in
            let names = field.split(separator: "/").map { Array($0.utf8) }
            let target = reference.target(from: names) { name in
                name == Array("unknown".utf8) ? nil : [Array("data".utf8), name]
            }
            return target.map { target in
                let path = target.names.map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
                return (target.instance.map { String(decoding: $0, as: UTF8.self) } ?? "") + path
            }
        }
    }

    @Test func `fields, relative paths and lists are resolved`() throws {
        #expect(
            try targets("${a} + ../b/c + . + ./d", at: "/data/g/x") == [
                "/data/a", "/data/g/b/c", "/data/g/x", "/data/g/x/d",
            ])
        #expect(try targets("../../../../x + ${unknown}", at: "/data/x") == [nil, nil])
    }

    @Test func `a path in a condition begins at what the condition tests`() throws {
        let source = "instance('town')/root/item[region = ${r} and ../x = current()/../y]/label"
        #expect(
            try targets(source, at: "/data/g/f") == [
                "town/root/item/label", "town/root/item/region", "/data/r", "town/root/x",
                "/data/g/y",
            ])
        #expect(
            try targets("count(../visit[*/n > 1])", at: "/data/f") == [
                "/data/visit", "/data/visit/*/n",
            ])
    }

    @Test func `the quoted path of a choice's name is a reference`() throws {
        #expect(
            try targets("jr:choice-name(${a}, '${b}')", at: "/data/f") == ["/data/a", "/data/b"])
        // A call in it, and commas that are not its own.
        #expect(
            try targets("jr:choice-name(if(${a}, 'x', ${c}), \"${b}\")", at: "/data/f")
                == ["/data/a", "/data/c", "/data/b"])
    }

    @Test func `the quoted paths of however many names of choices are taken apart on the way`()
        throws
    {
        let call = "jr:choice-name(${a}, '../b')"
        let calls = [String](repeating: call, count: 900).joined(separator: ",")
        let tokens = try Lexer.tokens(of: Array("concat(\(calls))".utf8))
        // Nothing is put into the tokens later, which would move all that follow.
        #expect(tokens.count == 900 * 8 + 899 + 4)
        #expect(!tokens.contains { if case .string = $0.kind { true } else { false } })
    }

    @Test(arguments: ["'1 + 2'", "“1 + 2”"])
    func `what is wrong in the path of a choice's name is told where it stands`(_ path: String) {
        let source = Array("jr:choice-name(${a}, \(path))".utf8)
        guard case .invalid(let error) = Expression.parse(source) else {
            Issue.record("it was read")
            return
        }
        #expect(error.offset == source.firstIndex(of: UInt8(ascii: "1")))
        #expect(error.found == [UInt8(ascii: "1")])
    }
}

func parsed(_ source: String) throws -> Expression {
    switch Expression.parse(Array(source.utf8)) {
    case .expression(let expression): return expression
    case .unsupported(let unsupported): throw unsupported
    case .invalid(let error): throw error
    }
}
