import JSON
import ShareControl
import Testing

@testable import shared

/// Which columns a list has on a terminal.
@Suite struct ListLayoutTests {
    @Test func `fields that a condition names come first of those that fit`() throws {
        let head = ListHead(
            form: "household", title: "Household", key: ["id"],
            columns: ["id", "village", "head", "fever"], former: [], total: 1)
        let record: JSONObject = [
            "id": "KOR-1", "village": "Saint-Louis", "head": "Amadou", "fever": .double(39.5),
        ]
        func header(_ asked: [String], _ width: Int) throws -> String {
            try ListLayout(
                head, [record], columns: nil, asked: asked, isWide: false, isInvalid: false,
                width: width
            ).header
        }
        let plain = try header([], 34)
        #expect(plain.contains("village") && !plain.contains("fever"), "\(plain)")
        let asked = try header(["Fever"], 34)
        #expect(asked.hasPrefix("id     fever  "), "\(asked)")
        // Where all fit, all are there.
        #expect(try header(["fever"], 100).contains("head"))
    }

    @Test func `who, when and notes come before all fields but the first`() throws {
        let head = ListHead(
            form: "household", title: "Household", key: ["hh_id"],
            columns: ["hh_id", "visit_date", "village", "head_name", "nets"], former: [], total: 2)
        let record: JSONObject = [
            "_id": "01a203cd-4191-7a3c-bba7-a426dc5d03fc", "hh_id": "KOR-101",
            "visit_date": "2026-11-22", "village": "Saint-Louis du Nord",
            "head_name": "Amadou Traoré", "nets": .integer(3), "_updated_by": "coordinator",
            "_updated": "2020-01-05T12:00:00.000Z", "_sent": .bool(false),
            "_comment_count": .integer(2),
        ]
        func header(_ width: Int) throws -> String {
            // Twice the same key, so that ids are there too.
            let layout = try ListLayout(
                head, [record, record], columns: nil, isWide: false, isInvalid: false, width: width)
            for line in [layout.header, layout.line(record)] {
                #expect(Terminal.width(line) <= width, "\(width): \(line)")
            }
            return layout.header
        }
        for width in [50, 60, 70, 80] {
            let line = try header(width)
            let date = try #require(line.firstRange(of: "visit_date"), "\(width): \(line)")
            let note = try #require(line.firstRange(of: "NOTE"), "\(width): \(line)")
            #expect(date.upperBound < note.lowerBound)
            #expect(line.contains("WHEN") == (width > 50), "\(width): \(line)")
            #expect(!line.contains("nets"), "\(width): \(line)")
        }
        #expect(try header(120).contains("LAST BY"))
        #expect(try header(20).hasPrefix("ID"))
        var reviewed = record
        reviewed["_state"] = "hasIssues"
        let layout = try ListLayout(
            head, [reviewed], columns: nil, isWide: false, isInvalid: false, width: 160)
        #expect(layout.line(reviewed).contains("  hasIssues, not sent, "))
    }

    @Test func `of deleted entries who deleted them when comes before other fields`() throws {
        let head = ListHead(
            form: "household", title: "Household", key: ["id"], columns: ["id", "village", "head"],
            former: [], total: 1)
        var record: JSONObject = [
            "id": "KOR-1", "village": "Saint-Louis du Nord", "head": "Amadou Traoré",
            "_updated_by": "coordinator", "_updated": "2020-01-05T12:00:00.000Z",
        ]
        func header() throws -> String {
            try ListLayout(
                head, [record], columns: nil, isWide: false, isInvalid: false, width: 40
            ).header
        }
        #expect(try header().hasPrefix("id     village"))
        record["_deleted_by"] = "dev:a"
        #expect(try header().hasPrefix("id     DELETED BY   WHEN"))
    }

    @Test func `a note begins with what somebody has to do`() throws {
        let head = ListHead(
            form: "household", title: "Household", key: ["id"], columns: ["id"], former: [],
            total: 1)
        let record: JSONObject = [
            "id": "KOR-1", "_sent": .bool(false), "_alone": .bool(true),
            "_comment_count": .integer(1), "_state": "rejected",
            "_changed_since_review": .bool(true), "_in_conflict": .bool(true),
        ]
        let layout = try ListLayout(
            head, [record], columns: ["id", "_notes"], isWide: false, isInvalid: false, width: nil)
        #expect(layout.line(record).contains("in conflict, rejected, changed since"))
        #expect(layout.line(record).hasSuffix("not sent, nobody else has it, 1 comment"))
    }

    @Test func `a list that a limit has cut says how many there are`() throws {
        var head = ListHead(
            form: "household", title: "Household", key: ["id"], columns: ["id"], former: [],
            total: 54)
        func footer(_ fitting: Int?, kept: Int = 0) throws -> String? {
            head.fitting = fitting
            return try ListLayout(
                head, [["id": "KOR-1"]], columns: nil, isWide: false, isInvalid: false, width: 80
            ).footer(3, kept: kept, of: head, width: 80).first
        }
        #expect(try footer(16) == "3 shown of 16 found; 54 entries in all")
        head.fitsMore = true
        #expect(try footer(16) == "3 shown of more than 16 found; 54 entries in all")
        head.fitsMore = false
        // Nothing is left out.
        #expect(try footer(3) == "3 of 54 entries")
        #expect(try footer(nil) == "3 of 54 entries")
        // What stays on this device is not among those.
        #expect(try footer(nil, kept: 1) == "2 of 54 entries, and 1 only here")
        head.total = 2
        #expect(try footer(nil, kept: 1) == "3 entries, 1 of them only here")
    }
}
