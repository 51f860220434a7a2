package import JSON
internal import ShareFormats

/// A form whose names are names of elements, as XForms and XLSForms want them. In forms here they may
/// have spaces, brackets and any sign.
package struct MendedNames {
    /// The same form, with references to what is called otherwise now.
    package private(set) var form: JSONObject
    /// The names that were changed, in the order of the form.
    package private(set) var changes: [(old: String, new: String)] = []
    private var new: [String: String] = [:]
    /// Names in use, in lower case: tables do not tell them apart.
    private var taken: Set<String> = []
    /// Prefixes that the form declares.
    private let prefixes: Set<String>

    package init(_ form: JSONObject) {
        self.form = form
        let spaces = (form["settings"]?["namespaces"]?.string ?? "")
            .split(whereSeparator: \.isWhitespace)
        prefixes = Set(spaces.map { String($0.prefix { $0 != "=" }) })
        let fields = form["fields"]?.array ?? []
        note(fields, isInside: false)
        mend(fields, isInside: false)
        let root = form["settings"]?["name"]?.string.flatMap { isFit($0) ? nil : $0 }
        if let root { changes.append((root, fit(root))) }
        guard !changes.isEmpty else { return }
        self.form = rewritten(form, isField: false)
        if let root, case .object(var settings) = self.form["settings"] {
            settings["name"] = .string(fit(root))
            self.form["settings"] = .object(settings)
        }
        self.form["fields"] = .array(fields.map { renamed($0, isInside: false) })
        if case .array(let key) = form["key"] {
            self.form["key"] = .array(
                key.map { name in name.string.flatMap { new[$0] }.map { .string($0) } ?? name })
        }
    }

    private func isFit(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return ElementName.isValid(name) && (parts.count < 2 || prefixes.contains(String(parts[0])))
    }

    /// The form's own metadata has that name beside its fields.
    private func isFit(_ name: String, isInside: Bool) -> Bool {
        isFit(name) && (isInside || name != "meta")
    }

    private mutating func note(_ fields: [JSONValue], isInside: Bool) {
        for field in fields.compactMap(\.object) {
            if let name = FormTree.name(of: field), isFit(name, isInside: isInside) {
                taken.insert(name.lowercased())
            }
            note(field["fields"]?.array ?? [], isInside: true)
        }
    }

    private mutating func mend(_ fields: [JSONValue], isInside: Bool) {
        for field in fields.compactMap(\.object) {
            if let name = FormTree.name(of: field), !isFit(name, isInside: isInside),
                new[name] == nil
            {
                let base = fit(name)
                var mended = base
                var number = 2
                while mended == "meta" || !taken.insert(mended.lowercased()).inserted {
                    mended = "\(base)_\(number)"
                    number += 1
                }
                new[name] = mended
                changes.append((name, mended))
            }
            mend(field["fields"]?.array ?? [], isInside: true)
        }
    }

    /// The nearest name that elements, and fields of forms here, may have.
    private func fit(_ name: String) -> String {
        var fit = ElementName.mended(String(ElementName.mended(name).drop { $0 == "_" }))
        // With room for a number behind it.
        while fit.utf8.count > FormLimits.nameBytes - 5 { fit.removeLast() }
        return FormNames.fault(ofField: fit) == nil ? fit : "q_" + fit + "_q"
    }

    /// A field under its new name, with what lies in it; a question without a label keeps its old name
    /// as one.
    private func renamed(_ field: JSONValue, isInside: Bool) -> JSONValue {
        guard var json = field.object else { return field }
        let old = FormTree.name(of: json)
        json = rewritten(json, isField: true)
        if let old, let name = new[old], !isFit(old, isInside: isInside) {
            if case .object(var extras) = json["x"], extras["node"] != nil {
                extras["node"] = .string(name)
                json["x"] = .object(extras)
            } else {
                json["name"] = .string(name)
            }
            let isQuestion =
                XFormType(json["type"]?.string ?? "").control != nil
                && !["group", "repeat"].contains(json["type"]?.string)
            if isQuestion, ["label", "calculation", "trigger"].allSatisfy({ json[$0] == nil }) {
                json["label"] = .string(old)
            }
        }
        if let inside = json["fields"]?.array {
            json["fields"] = .array(inside.map { renamed($0, isInside: true) })
        }
        return .object(json)
    }

    /// The same object with the new names in its references, but for the fields in it.
    private func rewritten(_ object: JSONObject, isField: Bool) -> JSONObject {
        JSONObject(
            object.members.map { member in
                let isLeft = member.key == "fields" || isField && member.key == "name"
                return JSONObject.Member(
                    key: member.key, value: isLeft ? member.value : rewritten(member.value))
            })
    }

    private func rewritten(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text) where text.contains("${"): .string(rewritten(text))
        case .array(let elements): .array(elements.map { rewritten($0) })
        case .object(let object): .object(rewritten(object, isField: false))
        default: value
        }
    }

    private func rewritten(_ text: String) -> String {
        let references = References(text)
        guard references.names.contains(where: { new[$0] != nil }) else { return text }
        return references.pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .reference(let name, let isLastSaved):
                "${\(isLastSaved ? "last-saved#" : "")\(new[name] ?? name)}"
            }
        }.joined()
    }
}
