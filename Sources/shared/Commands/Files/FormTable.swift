internal import ControlClient
internal import JSON
internal import ShareControl

/// A table of a form: that of its entries, or that of the rows of one of its repeats.
struct FormTable {
    /// `FORM`, or `FORM/REPEAT`.
    let form: String
    /// The names of the repeats that it lies in, outermost first; empty for the entries.
    let path: [String]
    /// The types of the columns of its CSV that are no text.
    let types: JSONObject

    /// The names of its fields, with the ids of a row and of what it belongs to in front.
    let columns: [String]

    /// What is added to the name of the entries' file.
    var suffix: String { path.map { "-" + $0 }.joined() }

    /// The names that ODK Central gives the files of tables: `FORM-REPEAT`, however deep that lies, and
    /// `FORM-REPEAT~1` where another one is called so.
    static func namesOfCentral(_ tables: [FormTable]) -> [String] {
        var times: [String: Int] = [:]
        return tables.map { table in
            guard let name = table.path.last else { return table.form }
            let before = times[name, default: 0]
            times[name] = before + 1
            let form = table.form.prefix { $0 != "/" }
            return "\(form)-\(name)" + (before == 0 ? "" : "~\(before)")
        }
    }

    /// The tables of a form, that of its entries first, an outer repeat before those in it.
    static func all(of form: String, _ session: Session) throws(Problem) -> [FormTable] {
        let definition: JSONObject = try session.client().answer(
            session.request("GET", ["forms", form]))
        let name = definition["form_id"]?.string ?? form
        let fields = definition["fields"]
        var types: JSONObject = ["_created": "moment", "_updated": "moment"]
        types.members += self.types(of: fields).members
        return [
            FormTable(form: name, path: [], types: types, columns: ["KEY"] + names(of: fields))
        ] + repeats(in: fields, of: name, [])
    }

    private static func repeats(
        in fields: JSONValue?, of form: String, _ path: [String]
    ) -> [FormTable] {
        (fields?.array ?? []).compactMap(\.object).flatMap { field -> [FormTable] in
            guard field["type"] == "repeat", let name = field["name"]?.string else {
                return repeats(in: field["fields"], of: form, path)
            }
            let path = path + [name]
            var types: JSONObject = ["_index": "integer"]
            types.members += self.types(of: field["fields"]).members
            return [
                FormTable(
                    form: ([form] + path).joined(separator: "/"), path: path, types: types,
                    columns: ["PARENT_KEY", "KEY", "_index"] + names(of: field["fields"]))
            ] + repeats(in: field["fields"], of: form, path)
        }
    }

    /// The fields that have values, those of groups in their place.
    private static func names(of fields: JSONValue?) -> [String] {
        (fields?.array ?? []).compactMap(\.object).flatMap { field -> [String] in
            let isShown = field["x"]?.object?["persist"] == .bool(false)
            switch field["type"]?.string {
            case "group": return names(of: field["fields"])
            case "repeat", "note": return []
            default: return isShown ? [] : [field["name"]?.string].compactMap(\.self)
            }
        }
    }

    private static func types(of fields: JSONValue?) -> JSONObject {
        var types = JSONObject()
        for field in (fields?.array ?? []).compactMap(\.object) {
            let type = field["type"]?.string ?? ""
            guard let name = field["name"]?.string else { continue }
            switch type {
            case "integer", "decimal", "date", "time", "dateTime": types[name] = .string(type)
            case "range": types[name] = "decimal"
            case "today": types[name] = "date"
            case "start", "end": types[name] = "dateTime"
            case "group": types.members += self.types(of: field["fields"]).members
            default: break
            }
        }
        return types
    }
}
