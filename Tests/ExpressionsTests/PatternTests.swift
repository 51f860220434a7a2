import Testing

@testable import Expressions

struct PatternTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        var budget = Budget()
        return try Pattern(Array(pattern.utf8)).matches(Array(text.utf8), budget: &budget)
    }

    @Test(
        arguments: [
            ("^[a-zA-Z0-9. _-]{1,25}$", "Ana B. Costa_3", "Ana, B."),
            ("^[a-zA-Z0-9. _-éáíóãõúçâê]{1,1000}$", "São", ""),
            ("[0-9]{9}", "123456789", "12345678"),
            ("^[^0-9]{0,20}$", "no digits", "1 digit"),
            ("^(07|\\+2557)[0-9]{8}$", "+255712345678", "0612345678"),
            ("[A-Z]{2}-\\d{3,}(/\\d+)?", "KE-1234/5", "KE-12"),
            ("\\S+@\\S+\\.[a-z]{2,4}", "a.b@c.org", "a.b@c"),
            ("\\p{Lu}\\p{Ll}+( \\p{L}+)*", "Émile Zola", "émile"),
            ("(?i)yes|no", "YES", "nope"),
            ("a(?i)b(?-i)c", "aBc", "abC"),
            ("(ab)?c*", "", "abab"),
            ("[^\\d\\s]+", "x-y", "x y"),
            ("[\\w.%+-]+", "a.b%c+d-e", "a b"),
            ("\\Aa.c\\z", "abc", "a\nc"),
            ("(?s)a.c", "a\nc", "ac"),
            ("\\x41\\u00e9", "Aé", "Ae"),
            (".", "😀", "ab"),
            ("\\bcat\\b.*", "cat sat", "cats"),
        ] as [(String, String, String)])
    func `a pattern matches the whole text or nothing`(
        _ pattern: String, _ yes: String, _ no: String
    ) throws {
        #expect(try matches(pattern, yes))
        #expect(try !matches(pattern, no))
    }

    @Test(arguments: [
        "(", ")", "[", "[]", "[a", "[b-a]", "*", "a**", "a{2", "a{3,2}", "a{1001}", "{2}", "\\",
        "\\1", "\\k<a>",
        "\\q", "\\p{Greek}", "\\p", "\\u12", "a++", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?>a)",
        "(?x)a", "[a[b]]", "[a&&b]", "[a-[b]]", "(?<n", "(?i", "(a{100}){100}",
    ])
    func `what is wrong, or beyond a linear engine, is refused`(_ pattern: String) {
        #expect(throws: Pattern.Failure.self) { try Pattern(Array(pattern.utf8)) }
    }

    @Test(arguments: [
        "(a*)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)b", "(a?){500}a{500}b", "((a+)+)+b",
        "(x+x+)+y", "a{0,900}a{0,900}b",
    ])
    func `no pattern takes more than its share`(_ pattern: String) throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 5_000)
        let compiled = try Pattern(Array(pattern.utf8))
        var budget = Budget()
        let clock = ContinuousClock()
        let time = clock.measure {
            do throws(EvaluationError) {
                #expect(try !compiled.matches(text, budget: &budget))
            } catch {
                #expect(error.reason == .outOfBudget)
            }
        }
        #expect(time < .seconds(30), "an optimised build takes a fiftieth of that")
    }

    /// The steps of a text of 30,000 letters; as many as there are where they are too few.
    private func steps(_ pattern: String, of all: Int) throws -> Int {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 30_000)
        let compiled = try Pattern(Array(pattern.utf8))
        var budget = Budget(steps: all)
        do throws(EvaluationError) {
            _ = try compiled.matches(text, budget: &budget)
        } catch {
            #expect(error.reason == .outOfBudget)
        }
        return all - budget.steps
    }

    @Test(arguments: [
        "(a(\(String(repeating: "|", count: 1_990))))*",
        "[\(String(repeating: "0", count: 4_000))a]*",
    ])
    func `what a letter leads through, and is compared with, takes steps`(
        _ pattern: String
    ) throws {
        #expect(try steps(pattern, of: 400_000) >= 400_000)
        #expect(try steps("[a-z ]*", of: 400_000) < 70_000, "a plain one takes few")
    }

    @Test func `a long pattern takes steps before it sees a letter`() throws {
        let pattern = try Pattern(Array("(abcd){900}".utf8))
        var budget = Budget(steps: 100)
        #expect(throws: EvaluationError.self) { try pattern.matches([], budget: &budget) }
    }

    @Test(arguments: [
        "((((((a{0}){1000}){1000}){1000}){1000}){1000}){1000}", "(((){1000}){1000}){1000}",
    ])
    func `repetitions of nothing are not counted`(_ pattern: String) throws {
        #expect(try matches(pattern, ""))
    }
}
