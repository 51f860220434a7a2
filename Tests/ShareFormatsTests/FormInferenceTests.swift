import JSON
import ShareCore
import Testing

@testable import ShareFormats

/// Forms proposed for tables.
@Suite struct FormInferenceTests {
    private func infer(
        _ csv: String, dates: CSVHabits.DateOrder? = nil, comma: Bool? = nil
    ) throws -> (form: JSONObject, notes: [String]) {
        var guess = FormInference(dates: dates, hasDecimalComma: comma)
        try guess.read(Array(csv.utf8))
        let form = guess.form(formID: "f")
        return (try #require(form), guess.notes)
    }

    private func types(_ form: JSONObject) -> [String] {
        (form["fields"]?.array ?? []).map { field in
            let field = field.object ?? JSONObject()
            return "\(field["name"]?.string ?? ""):\(field["type"]?.string ?? "")"
        }
    }

    /// What the proposal reads of the file with these habits; every row has to be right.
    private func imports(
        _ csv: String, _ form: JSONObject, dates: CSVHabits.DateOrder? = nil, comma: Bool = false
    ) throws -> [[FieldValue]] {
        var habits = CSVHabits()
        habits.dates = dates
        habits.hasDecimalComma = comma
        let parser = ValueParser(try Form(json: JSONValue.object(form).text))
        var reader = EntryImport(parser, habits: habits)
        var entries: [ImportedEntry] = []
        reader.read(Array(csv.utf8)) { entries.append($0) }
        reader.finish { entries.append($0) }
        #expect(reader.problems.isEmpty && entries.allSatisfy(\.doubts.isEmpty))
        return entries.map(\.values)
    }

    @Test func `what is proposed can be added`() throws {
        let long = String(repeating: "\u{E9}", count: 31)
        let rows = (0..<9).map { "\"a\nb\(["", "c", "d"][$0 % 3])\",\($0),x" }
        let (form, _) = try infer(
            "\"\(long)x\",\"\(long)X\",\"\(long)x\"\n" + rows.joined(separator: "\n") + "\n")
        #expect(types(form).map { $0.split(separator: ":").last } == ["text", "integer", "text"])
        let read = try Form(json: JSONValue.object(form).text, isWritten: true)
        #expect(read.fields.map(\.name)[1] == String(repeating: "\u{E9}", count: 30) + "_2")
    }

    @Test func `a European table has days, decimals, percent, yes and no`() throws {
        let csv = """
            Nom;Ne le;Vu;Poids;Prix;Part;Malade;Heure
            Traore;12/03/1990;22.11.2026 15:20;62,5;1.200;75%;oui;9:30
            Diallo;25/12/1988;23.11.2026 8:05;70;2.500,75;62,5%;Non;14:05

            """
        let (form, notes) = try infer(csv)
        #expect(
            types(form) == [
                "Nom:text", "Ne le:date", "Vu:dateTime", "Poids:decimal", "Prix:decimal",
                "Part:decimal", "Malade:select_one", "Heure:time",
            ])
        #expect(
            notes.contains(
                "read as the whole file allows it; import it with --dates dmy --decimal ,"))
        #expect(notes.contains("Malade: yes and no, which the file calls oui and Non"), "\(notes)")
        let rows = try imports(csv, form, dates: .dmy, comma: true)
        #expect(
            rows.first == [
                .text("Traore"), .text("1990-03-12"), .text("2026-11-22T15:20"), .decimal(62.5),
                .decimal(1200),
                .decimal(75), .text("yes"), .text("09:30"),
            ])
        #expect(rows.last?[4] == .decimal(2500.75) && rows.last?[6] == .text("no"))
    }

    @Test func `rows that are not as long as the header are told, and say nothing of types`() throws
    {
        let rows = (0..<30).map {
            $0 % 3 == 0 ? "\($0),Koro, the old,4,2026-11-21\n" : "\($0),Bala,\($0),2026-11-21\n"
        }
        let (form, notes) = try infer("id,place,people,day\n" + rows.joined())
        #expect(
            types(form) == ["id:integer", "place:text", "people:integer", "day:date"], "\(notes)")
        #expect(
            notes.first
                == "10 of 30 rows have other cells than the header, the first in line 2 (5, and the"
                + " header 4), and an import refuses them: is there a separator in a cell without"
                + " quotes?")
        // Where most are so, they are all that there is.
        let all = try infer("id,n\n1,2,\n2,3,\n")
        #expect(types(all.form) == ["id:integer", "n:integer"] && all.notes[0].hasPrefix("2 of 2"))
    }

    @Test func `whole numbers that no program keeps to the digit are text`() throws {
        let (form, notes) = try infer(
            "tag,big,plain\n12345678901234567890,9007199254740993,9007199254740992\n"
                + "12345678901234567891,1,2\n")
        #expect(types(form) == ["tag:text", "big:text", "plain:integer"])
        #expect(form["key"] == .array(["tag"]))
        #expect(
            notes.first
                == "tag: text, as its numbers have more digits than a program can be trusted to keep"
        )
    }

    @Test func `more columns than a form has fields are told`() throws {
        let titles = (0..<700).map { "c\($0)" }.joined(separator: ",")
        let (_, notes) = try infer(titles + "\n")
        #expect(
            notes == [
                "700 columns: a form has at most 600 fields, so this one cannot be added; leave columns"
                    + " out, or make several forms"
            ])
    }

    @Test func `of numbers whose thousands are apart nothing is said of commas`() throws {
        let (form, notes) = try infer("n,m\n91 200,\"1,200\"\n1 100,\"2,300\"\n")
        #expect(types(form) == ["n:text", "m:text"])
        #expect(
            notes.prefix(2) == [
                "n: its thousands are apart, so it is text; say which: --decimal , or take them out",
                "m: its commas may be decimals or separate thousands, so it is text; say which:"
                    + " --decimal , or take them out",
            ])
    }

    @Test func `an American table has the month first, and times of two halves of the day`() throws
    {
        let csv = """
            name,born,seen,weight,vaccinated
            Ann,3/25/1990,11/22/26 9:30 PM,62.5,Y
            Bob,12/3/1988,11/23/26 8:05 AM,70,N

            """
        let (form, notes) = try infer(csv)
        #expect(
            types(form) == [
                "name:text", "born:date", "seen:dateTime", "weight:decimal",
                "vaccinated:select_one",
            ])
        #expect(notes.contains("read as the whole file allows it; import it with --dates mdy"))
        let rows = try imports(csv, form, dates: .mdy)
        #expect(
            rows.first == [
                .text("Ann"), .text("1990-03-25"), .text("2026-11-22T21:30"), .decimal(62.5),
                .text("yes"),
            ])
    }

    @Test func `no percentage is a key, though each row has another`() throws {
        let (form, _) = try infer("part,name\n10%,a\n20%,b\n")
        #expect(form["key"] == .array([.string("name")]))
    }

    @Test func `what is called an id is the key before what only differs in each row`() throws {
        let (form, _) = try infer("name,site_id\nAnn,1\nBo,2\n")
        #expect(form["key"] == .array([.string("site_id")]))
        let (weights, _) = try infer("weight,id\nNA,1\n2.5,2\n3.5,3\n4.5,4\n")
        #expect(weights["key"] == .array([.string("id")]))
    }

    @Test func `where no column tells rows apart the leftmost two that do are the key`() throws {
        let csv = """
            note,dose,village,who,day,ok
            ,1.5,Koro,Ann,2026-11-21,yes
            x,1.5,Koro,Bo,2026-11-22,no
            ,2.5,Bala,Ann,2026-11-21,yes
            y,2.5,Bala,Bo,2026-11-23,no
            ,3.5,Bala,Cid,2026-11-22,no

            """
        let (form, notes) = try infer(csv)
        #expect(form["key"] == .array(["village", "who"]))
        #expect(
            notes.last == "village and who together are taken for what tells one row from another")
        #expect(try imports(csv, form).count == 5)
        // With cells that are empty, of very long texts, or with a third column there is none.
        for csv in [
            "a,b\nx,1\nx,2\ny,\ny,1\n",
            "a,b,c\nx,1,p\nx,1,q\ny,1,p\ny,1,q\nx,2,p\nx,2,q\ny,2,p\ny,2,q\n",
            "a,b\n\(String(repeating: "x", count: 61)),1\nx,1\nx,2\n",
        ] {
            let (none, notes) = try infer(csv)
            #expect(
                none["key"] == nil && notes.last?.hasPrefix("no column tells") == true, "\(csv)")
        }
    }

    @Test func `of very many columns the first twelve are looked at for a key`() throws {
        func table(_ columns: Int) -> String {
            // Only the last two tell the rows apart.
            let header = (1...columns).map { "c\($0)" }.joined(separator: ",")
            let rows = ["x,1", "x,2", "y,1", "y,2"].map {
                String(repeating: "s,", count: columns - 2) + $0
            }
            return ([header] + rows).joined(separator: "\n") + "\n"
        }
        #expect(try infer(table(12)).form["key"] == .array(["c11", "c12"]))
        #expect(try infer(table(13)).form["key"] == nil)
    }

    @Test func `what may be read in two ways is said`() throws {
        let open = try infer("d,n\n1/2/2026,1\n3/4/2026,2\n")
        #expect(types(open.form) == ["d:date", "n:integer"])
        #expect(
            open.notes.contains {
                $0.hasPrefix("d: its dates may have the day or the month first")
            }, "\(open.notes)")
        let said = try infer("d\n1/2/2026\n3/4/2026\n", dates: .mdy)
        #expect(!said.notes.contains { $0.contains("dates") })
        let torn = try infer("d,e\n13/2/2026,2/13/2026\n14/2/2026,2/14/2026\n")
        #expect(types(torn.form) == ["d:text", "e:text"])
        #expect(torn.notes.contains { $0.hasPrefix("some columns have the day first") })
        let thousands = try infer("n,k\n\"1,234\",a\n\"2,500\",b\n")
        #expect(types(thousands.form).first == "n:text")
        #expect(thousands.notes.contains { $0.contains("may be decimals or separate thousands") })
        let comma = try infer("n,k\n\"1,234\",a\n\"2,500\",b\n", comma: true)
        #expect(types(comma.form).first == "n:decimal")
        let both = try infer("d;n\n1/2/2026;1,5\n", dates: .dmy)
        #expect(both.notes.contains { $0.hasSuffix("import it with --decimal ,") })
    }

    @Test func `cells that say that nothing is known cost the type, which is said`() throws {
        let (form, notes) = try infer(
            "n,s\n1,F\nNA,M\n3,NA\n4,F\n5,M\n6,F\n7,M\n8,F\n9,M\n")
        #expect(types(form) == ["n:text", "s:select_one"])
        #expect(
            notes.contains("n: text, as 1 cell says NA; with these empty it would be integer"),
            "\(notes)")
        #expect(notes.contains { $0.hasPrefix("s: NA is one of the choices") })
    }

    @Test func `ids with zeros in front, and canonical tables, are what they were`() throws {
        let csv =
            "id,tel,day,at,n\n007,+4312,2026-11-22,2026-11-22T10:00,1.200\n"
            + "008,+4313,2026-11-23,2026-11-22T10:00Z,2.5\n"
        let (form, notes) = try infer(csv)
        #expect(types(form) == ["id:text", "tel:text", "day:date", "at:dateTime", "n:decimal"])
        #expect(!notes.contains { $0.contains("--d") })
        #expect(try imports(csv, form).count == 2)
    }

    @Test(arguments: ["+223 70 00 07 64", "070 000 764", "70 00 07 64", "0022370000764", "+70"])
    func `digits that are no number are text`(phone: String) throws {
        let (form, _) = try infer("k,phone,n\na,\(phone),1 000\nb,\(phone),2 500\n", comma: true)
        #expect(types(form) == ["k:text", "phone:text", "n:integer"])
    }
}
