import Expressions
import Glibc
import ShareCore
import ShareFormats
import ShareForms

/// Measures the logic of forms in CPU time: the check of an entry as an import makes it, the state
/// of a large form, the reading of one; with `--hostile` forms that would take long. It prints
/// figures and judges none.
@main
enum FormsBench {
    static func main() throws {
        if CommandLine.arguments.contains("--hostile") {
            try hostile()
        } else {
            try imported()
            try large()
        }
    }

    /// The largest time that one entry takes, of forms made for it; the bound is 50 ms.
    private static func hostile() throws {
        for form in HostileForm.all {
            let json = #"{"form_id":"f","fields":[\#(form.fields)],"lists":\#(form.lists)}"#
            let questionnaire = Questionnaire(try Form(json: Array(json.utf8)))
            if let finding = questionnaire.findings.first {
                print("\(form.name): \(finding.sentence)")
            }
            var (best, left) = (Double.infinity, 0)
            for _ in 0..<3 {
                let start = cpu
                let state = FillState(
                    questionnaire, form.answers, kind: .new, asked: form.asked,
                    clearing: .always, setting: setting)
                let found = state.faults(isSaving: true).count + state.cautions().count
                best = min(best, (cpu - start) * 1e3)
                left = state.budget.steps
                precondition(found >= 0)
            }
            let taken = Budget().steps - left
            let name = form.name + String(repeating: " ", count: max(1, 48 - form.name.count))
            print(
                name, String(Int((best * 10).rounded())).dropLast(), ".",
                Int((best * 10).rounded()) % 10, " ms, ", taken, " steps, ",
                Int(best * 1e6 / Double(max(1, taken))), " ns each", separator: "")
        }
    }

    /// 15 fields, 10 constraints, a calculation and a condition.
    private static func imported() throws {
        var fields = (1...10).map { index in
            #"{"name":"n\#(index)","type":"integer","constraint":". >= 0 and . < 1000"}"#
        }
        fields += [
            #"{"name":"name","type":"text","required":true}"#,
            #"{"name":"day","type":"text"}"#,
            #"{"name":"kind","type":"text"}"#,
            #"{"name":"note","type":"text","relevant":"${kind} = 'x'"}"#,
            #"{"name":"sum","type":"integer","calculation":"${n1} + ${n2}"}"#,
        ]
        let form = try questionnaire(fields)
        let state = FillState(form, kind: .imported, setting: setting)
        let known = [Bool](repeating: true, count: 15)
        var values = (1...10).map { FieldValue.integer(Int64($0)) }
        values += [.text("Vanessa atalanta"), .text("2026-11-23"), .text("y"), .absent, .absent]
        measure("check of an entry, 15 fields, 10 constraints", 100_000) { turn in
            values[0] = .integer(Int64(turn % 900))
            state.reset(to: values, known: known)
            precondition(state.faults(isSaving: true).isEmpty && state.stored.count == 15)
        }
    }

    /// 300 fields: each second one is computed from the one before, each third one depends.
    private static func large() throws {
        func fields(_ count: Int) -> [String] { (0..<count).map(field) }
        func field(_ index: Int) -> String {
            let relevant = index % 3 == 2 ? #","relevant":"${f0} > 0""# : ""
            let rule =
                index % 2 == 1
                ? #""calculation":"${f\#(index - 1)} + 1""# : #""constraint":". >= 0""#
            return #"{"name":"f\#(index)","type":"integer",\#(rule)\#(relevant)}"#
        }
        measure("reading a form of 500 fields", 20) { _ in
            precondition((try? questionnaire(fields(500)))?.findings.isEmpty == true)
        }
        let form = try questionnaire(fields(300))
        let answers = Answers(
            fields: (0..<300).map { $0 % 2 == 0 ? .integer(Int64($0)) : nil })
        measure("state of an entry of 300 fields", 200) { _ in
            let state = FillState(form, answers, kind: .new, setting: setting)
            precondition(state.faults(isSaving: false).isEmpty && state.parts.count == 300)
        }
        let state = FillState(form, answers, kind: .new, setting: setting)
        let first = state.node(at: "f0") ?? 0
        measure("one answer changed in it", 2_000) { turn in
            state.set(.integer(Int64(turn + 1)), at: first)
        }
    }

    private static var setting: EntrySetting {
        EntrySetting(
            now: Moment(milliseconds: 0), offset: offset, deviceID: "", username: "",
            randomBits: { .random(in: 0...UInt64.max) })
    }

    /// That of local time, as a daemon has it.
    private static func offset(_ moment: Moment) -> Int64 {
        var seconds = time_t(moment.milliseconds / 1000)
        var local = tm()
        return localtime_r(&seconds, &local) == nil ? 0 : Int64(local.tm_gmtoff) * 1000
    }

    private static func questionnaire(_ fields: [String]) throws -> Questionnaire {
        let json = #"{"form_id":"f","fields":[\#(fields.joined(separator: ","))]}"#
        return Questionnaire(try Form(json: Array(json.utf8)))
    }

    private static func measure(_ what: String, _ count: Int, _ body: (Int) -> Void) {
        let start = cpu
        for turn in 0..<count { body(turn) }
        let each = (cpu - start) / Double(count) * 1e6
        let text = "\((each * 100).rounded() / 100)"
        print(what + String(repeating: " ", count: max(1, 52 - what.count)) + text + " us")
    }

    /// Seconds that the process has used.
    private static var cpu: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
