import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

struct FormInfoTests {
    private func with(
        _ info: FormInfo, accepted: [FormInfo.Root], roots: [FormInfo.Root] = []
    ) -> FormInfo {
        FormInfo(
            number: info.number, definition: info.definition, form: info.form,
            versions: info.versions, definitions: info.definitions, accepted: accepted,
            records: info.records, table: info.table, columns: info.columns, roots: roots,
            repeats: info.repeats, lists: info.lists)
    }

    @Test func `answers are read alike where the same versions of a form are accepted`() throws {
        let bench = try Bench()
        try bench.addForm()
        let info = try #require(bench.founder.form("visit"))
        func version(_ number: UInt8) -> FormInfo.Root {
            let name = OperationName(batch: BatchID(Hash.digest([number])), index: 0)
            return FormInfo.Root(definition: name, form: info.form)
        }
        let (one, other) = (version(1), version(2))
        let first = with(info, accepted: info.accepted + [one], roots: [one])
        #expect(first.isRead(as: first))
        #expect(!first.isRead(as: with(info, accepted: info.accepted + [other], roots: [one])))
        #expect(!first.isRead(as: with(info, accepted: info.accepted + [one], roots: [other])))
        let earlier = with(info, accepted: info.accepted + [one], roots: [one, one])
        #expect(
            !earlier.isRead(as: with(info, accepted: info.accepted + [one], roots: [one, other])))
    }
}
