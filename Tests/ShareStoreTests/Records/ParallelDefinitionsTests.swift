import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Definitions of one form by what their authors had seen.
struct ParallelDefinitionsTests {
    private static func asking(_ name: String) -> [FormField] {
        Bench.fields + [FormField(name: name, type: .integer)]
    }

    private func parallel(_ store: TestRoom) -> [ParallelDefinitions] {
        store.file.room.forms.parallelDefinitions()
    }

    @Test func `definitions that nobody has seen together are parallel, until somebody has`() throws
    {
        let bench = try Bench()
        try bench.addForm("visit", Bench.fields)
        try bench.addForm("other", Bench.fields)
        #expect(parallel(bench.founder).isEmpty)
        let editors = [try bench.device(.editor), try bench.device(.editor)]
        for editor in editors { try Bench.merge(Bench.batches(of: bench.founder), into: editor) }
        try bench.addForm("visit", Self.asking("goats"), version: "2")
        try bench.addForm("visit", Self.asking("sheep"), by: editors[0], version: "2")
        try bench.addForm("visit", Self.asking("cows"), by: editors[1], version: "2")
        // The later one of these two has seen the other: it alone is spoken of.
        try bench.addForm("visit", Self.asking("hens"), by: editors[1], version: "3")
        #expect(parallel(editors[1]).isEmpty)
        for editor in editors { try Bench.merge(Bench.batches(of: editor), into: bench.founder) }
        let told = try #require(parallel(bench.founder).first)
        #expect(parallel(bench.founder).count == 1 && told.inForce.form.formID == "visit")
        #expect(told.inForce.form.fields.last?.name == "hens")
        #expect(told.inForce.author == editors[1].identity.key)
        #expect(
            Set(told.others.map(\.author)) == [bench.founder.identity.key, editors[0].identity.key])
        #expect(told.others.allSatisfy { $0.form.version == "2" })
        #expect(Set(told.seen.map(\.version)) == ["1", "2"])
        // All devices say the same.
        try Bench.merge(Bench.batches(of: bench.founder), into: editors[0])
        try Bench.merge(Bench.batches(of: editors[1]), into: editors[0])
        #expect(parallel(editors[0]).first?.others.map(\.author) == told.others.map(\.author))
        try bench.addForm("visit", Self.asking("all"), by: editors[0], version: "4")
        try Bench.merge(Bench.batches(of: editors[0]), into: bench.founder)
        #expect(parallel(editors[0]).isEmpty && parallel(bench.founder).isEmpty)
    }

    @Test func `what does not count is no version, and what was before it has been seen`() throws {
        let bench = try Bench()
        try bench.addForm("visit", Bench.fields)
        let editor = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: editor)
        try bench.addForm("visit", Self.asking("sheep"), by: editor, version: "2")
        try Bench.merge(Bench.batches(of: editor), into: bench.founder)
        try bench.addForm("visit", Self.asking("goats"), version: "3")
        try bench.remove(editor.identity.key)
        #expect(bench.founder.form("visit")?.versions == ["1", "3"])
        #expect(parallel(bench.founder).isEmpty)
    }
}
