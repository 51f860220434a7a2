import ShareCore
import Testing

@testable import ShareFormats

/// Files of lists that forms share.
struct ChoiceListTests {
    private func read(_ csv: String, _ name: String = "area") throws -> ListContent {
        var file = try ListFile(name: name)
        for byte in csv.utf8 { try file.read([byte]) }
        return try file.finish()
    }

    private func cells(_ content: ListContent) throws -> [[String]] {
        var rows: [[String]] = []
        for part in content.parts() {
            try part.forEachRow { _, cells in
                rows.append(cells.map { String(decoding: part.cells[$0], as: UTF8.self) })
            }
        }
        return rows
    }

    @Test func `a list is a file with a row for each choice`() throws {
        let list = try read(
            "\u{FEFF}name;label;label::de;parent\r\nn;North;\"Nord;ost\";x\r\ns;;;\r\n")
        #expect(list.columns == ["name", "label", "label::de", "parent"])
        #expect(try cells(list) == [["n", "North", "Nord;ost", "x"], ["s", "", "", ""]])
    }

    @Test func `one name may stand in several places`() throws {
        let list = try read("name,parent\ncentre,a\ncentre,b\n")
        #expect(list.rows == 2)
    }

    @Test func `of a file with several lists one is taken`() throws {
        let file = "list_name,name,label\nregion,n,North\narea,a,A\narea,b,B\n"
        let list = try read(file)
        #expect(list.columns == ["name", "label"])
        #expect(try cells(list) == [["a", "A"], ["b", "B"]])
        #expect(throws: FormError.self) { try read(file, "village") }
    }

    @Test func `a choice may be there twice, which is told`() throws {
        // A filter offers each in its place.
        let json = """
            {"form_id":"f","fields":[{"name":"a","type":"select_one","list":"l"}],
             "lists":{"l":[{"name":"other","parent":"x"},{"name":"other","parent":"y"}]}}
            """
        let form = try Form(json: json.octets)
        #expect(form.lists.map(\.choices.count) == [2])
        #expect(form.warnings.map(\.description) == ["l: choice \"other\" is there twice"])
        let written = try Form(json: json.octets, isWritten: true)
        #expect(
            written.warnings.map(\.description)
                == ["line 2, column 46: l: choice \"other\" is there twice"])
    }

    @Test func `columns that are written large are told`() throws {
        func note(_ csv: String) throws -> String? {
            var file = try ListFile(name: "area")
            try file.read(csv.octets)
            _ = try file.finish()
            return file.note
        }
        #expect(
            try note("Name,Label\na,A\n")
                == "it has no column name; did you mean name by Name?")
        #expect(
            try note("name,lable\na,A\n")
                == "it has no column label; did you mean label by lable?")
        #expect(try note("nme,label\na,A\n") == "it has no column name; did you mean name by nme?")
        #expect(
            try note("name,LABEL\na,A\n")
                == "it has no column label; did you mean label by LABEL?")
        #expect(try note("code,label\na,A\n")?.contains("value=COLUMN") == true)
        #expect(try note("name,Label,label::fr\na,A,B\n") == nil)
    }

    @Test(arguments: [
        ("name\nn\nn\n", "list area, line 3: \"n\" is there twice"),
        ("name,label\nn,a\nn,b\n", "list area, line 3: \"n\" is there twice"),
        ("name,label\nn\n", "list area, line 2: 1 cells; the header has 2"),
        ("name\n\"n\n", "list area, line 2: a quote is opened and never closed"),
        ("name,label\n,x\n", "list area, line 2: the name is empty"),
        ("name\na\u{7}\n", "list area, line 2: the name cannot be printed"),
        ("", "list area: the file has no rows"),
        ("name\n", "list area: the file has no rows"),
        ("name,name\nn,m\n", "list area, line 1: two columns \"name\""),
        ("name,\nn,m\n", "list area, line 1: column 2 has no name"),
    ])
    func `a bad file of choices is refused in words`(csv: String, message: String) {
        #expect {
            try read(csv)
        } throws: {
            String(describing: $0) == message && ($0 as? FormError)?.hint != ""
        }
    }

    @Test func `what is no text is refused with its line`() throws {
        var file = try ListFile(name: "area")
        #expect {
            try file.read(Array("name\nok\n".utf8) + [0xff, 0x0a])
            _ = try file.finish()
        } throws: {
            String(describing: $0).contains("line 3")
        }
    }

    @Test func `more columns, rows or bytes than a list has are refused`() throws {
        let wide = (0...64).map { "c\($0)" }.joined(separator: ",")
        #expect(throws: FormError.self) { try read(wide + "\n") }
        #expect(throws: FormError.self) {
            try read("name\n" + String(repeating: "x", count: 4_097) + "\n")
        }
    }
}
