import JSON
import Testing

@testable import ShareFormats

struct ChoiceListTests {
    @Test func `a list can be a file of its own`() throws {
        let csv = "name,label,label::de,parent\nn,North,Nord,x\ns,South,,\n"
        let list = try ChoiceList(name: "area", csv: csv.octets)
        #expect(list.choices.map(\.name) == ["n", "s"])
        #expect(list.choices[0].label.text(in: "de") == "Nord")
        #expect(list.choices[1].label.text(in: "de") == "South")
        #expect(list.choices[0].columns == [JSONObject.Member(key: "parent", value: .string("x"))])
        let form = try Form(
            json: #"{"form_id":"f","fields":[{"name":"a","type":"select_one","list":"area"}]}"#
                .octets, lists: [list])
        #expect(try Form(json: form.json.octets).lists == [list])
    }

    @Test func `a choice may be there twice, which is told`() throws {
        // A filter offers each in its place.
        let json = """
            {"form_id":"f","fields":[{"name":"a","type":"select_one","list":"l"},
              {"name":"b","type":"select_one","list":"m"}],
             "lists":{"l":[{"name":"other","parent":"x"},{"name":"other","parent":"y"}]}}
            """
        let form = try Form(
            json: json.octets, lists: [try ChoiceList(name: "m", csv: "name\nn\nn\n".octets)])
        #expect(form.lists.map(\.choices.count) == [2, 2])
        #expect(
            form.warnings.map(\.description) == [
                "l: choice \"other\" is there twice", "m: choice \"n\" is there twice",
            ])
    }

    @Test(arguments: [
        ("label\nNorth\n", "lists \"area\": the file has no column name"),
        ("name,label\nn\n", "lists \"area\", line 2: 1 cells; the header has 2"),
        ("name\n\"n\n", "lists \"area\", line 2: a quote is opened and never closed"),
        (
            "name,label\n,x\n",
            "lists \"area\", line 2: the name of a choice is empty, too long, or unprintable"
        ),
        ("", "lists \"area\": the file has no column name"),
        ("name,name\nn,m\n", "lists \"area\": two columns \"name\""),
    ])
    func `a bad file of choices is refused in words`(csv: String, message: String) {
        #expect {
            try ChoiceList(name: "area", csv: csv.octets)
        } throws: {
            String(describing: $0) == message && ($0 as? FormError)?.hint != ""
        }
    }
}
