import Glibc
import JSON
import ShareFormats
import XLSForm

/// What the helper does, by its first argument. The answer is one JSON document on standard output,
/// or the bytes of the file that is written.
enum FormTool {
    static func run(_ words: [String]) -> Int32 {
        bound(seconds: ["workbook", "archive"].contains(words.first) ? 3_600 : 60)
        do {
            switch (words.first, words.count) {
            case ("read", 2): answer(FormFile.read(words[1]))
            case ("check", 1): answer(FormCheck.answer(to: try input()))
            case ("infer", 3...5):
                answer(try FormGuess.answer(words[1], formID: words[2], words.dropFirst(3)))
            case ("names", 1): answer(try FormOutput.names(try input()))
            case ("write", 2): try FormOutput.write(try input(), as: words[1])
            case ("workbook", 1): answer(try TableFiles.workbook(try input()))
            case ("archive", 1): answer(try TableFiles.archive(try input()))
            case ("unpack", 3): answer(try TableFiles.unpack(words[1], into: words[2]))
            default:
                fail(
                    "usage: shared-form read FILE | check | infer FILE FORM [OPTION=VALUE] | write KIND"
                        + " | names | workbook | archive | unpack FILE FOLDER", nil)
                return 2
            }
            return 0
        } catch let error as FormToolError {
            fail(error.message, error.hint)
        } catch {
            fail("\(error)", nil)
        }
        return 1
    }

    /// What a file can make this process take: more ends it, and nothing else.
    private static func bound(seconds: rlim_t) {
        var memory = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        var time = rlimit(rlim_cur: seconds, rlim_max: seconds)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
    }

    private static func input() throws -> JSONObject {
        let bytes = try FormFile.bytes(of: "-", limit: FormFile.inputBytes)
        guard let object = try JSONValue(text: bytes).object else {
            throw FormToolError(message: "no JSON object", hint: nil)
        }
        return object
    }

    static func answer(_ object: JSONObject) {
        write(JSONValue.object(object).text)
    }

    static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            // Not 1: what is there is no answer.
            guard count > 0 else { exit(3) }
            rest = rest.dropFirst(count)
        }
    }

    private static func fail(_ message: String, _ hint: String?) {
        var problem: JSONObject = ["message": .string(message)]
        if let hint { problem["hint"] = .string(hint) }
        answer(["problem": .object(problem)])
    }
}

/// The reason why a file gives no answer, with what to do.
struct FormToolError: Error {
    let message: String
    let hint: String?
}
