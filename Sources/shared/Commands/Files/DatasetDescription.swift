internal import JSON
internal import ShareControl

/// What the file of a mapping says of a data set as a whole: who made it, what it is, and what others
/// may do with it. Biodiversity databases read it from `eml.xml` (EML 2.2).
struct DatasetDescription {
    /// A person, an organisation, or a person of one.
    private struct Party {
        var name = ""
        var organization = ""
        var email = ""
    }

    private let form: String
    private let title: String
    private let creators: [Party]
    private let contacts: [Party]
    private let licence: String?
    private let about: String?

    /// The licences that GBIF takes, by their short names, with what a reader is led to.
    private static let licences: [(name: String, title: String, path: String)] = [
        ("CC0-1.0", "Public Domain (CC0 1.0)", "publicdomain/zero/1.0"),
        ("CC-BY-4.0", "Creative Commons Attribution (CC-BY) 4.0 License", "licenses/by/4.0"),
        (
            "CC-BY-NC-4.0", "Creative Commons Attribution Non Commercial (CC-BY-NC) 4.0 License",
            "licenses/by-nc/4.0"
        ),
    ]

    /// - Parameters:
    ///   - mapping: the whole file.
    ///   - path: the file, for messages.
    /// - Throws: `Problem` for a member that is not what it should be.
    init(_ mapping: JSONObject, of form: String, _ path: String) throws(Problem) {
        func text(_ name: String) throws(Problem) -> String? {
            switch mapping[name] {
            case .string(let text)?: return text.isEmpty ? nil : text
            case nil, .null?: return nil
            default: throw Problem(.badFile, "\(path): \(name) is no text")
            }
        }
        self.form = form
        title = try text("title") ?? form
        licence = try text("licence")
        about = try text("description")
        creators = try Self.parties(mapping["creator"], "\(path): creator")
        contacts = try Self.parties(mapping["contact"], "\(path): contact")
    }

    /// One, or a list of them; each a name, or an object.
    private static func parties(
        _ json: JSONValue?, _ place: String
    ) throws(Problem) -> [Party] {
        guard let json, json != .null else { return [] }
        return try (json.array ?? [json]).map { json throws(Problem) in
            if let name = json.string, !name.isEmpty { return Party(name: name) }
            var party = Party()
            for member in json.object?.members ?? [] {
                switch (member.key, member.value.string) {
                case ("name", let text?): party.name = text
                case ("organization", let text?): party.organization = text
                case ("email", let text?): party.email = text
                default: party = Party()
                }
            }
            guard !party.name.isEmpty || !party.organization.isEmpty else {
                throw Problem(
                    .badFile, "\(place) is no name",
                    hint: #"For instance {"name": "Nina Rey", "email": "nina@example.org"}; "#
                        + "or with organization.")
            }
            return party
        }
    }

    /// The members of the file that are not there, and that GBIF asks for.
    var missing: [String] {
        [
            ("creator", creators.isEmpty), ("contact", contacts.isEmpty),
            ("licence", licence == nil), ("description", about == nil),
        ].filter(\.1).map(\.0)
    }

    /// The document, its elements in the order of the schema.
    var eml: String {
        let schema = "https://eml.ecoinformatics.org/eml-2.2.0"
        var xml = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
        xml += "<eml:eml xmlns:eml=\"\(schema)\""
        xml += " packageId=\"\(DarwinCore.escaped(form))\" system=\"shared\">\n  <dataset>\n"
        xml += "    <title>\(DarwinCore.escaped(title))</title>\n"
        xml += creators.map { Self.element("creator", $0) }.joined()
        xml += creators.map { Self.element("metadataProvider", $0) }.joined()
        xml += "    <pubDate>\(Typed.today())</pubDate>\n"
        if let about {
            let parts = about.split(separator: "\n")
                .map { "<para>\(DarwinCore.escaped(String($0)))</para>" }
            xml += "    <abstract>\(parts.joined())</abstract>\n"
        }
        if let licence {
            let rights = "<para>\(Self.rights(licence))</para>"
            xml += "    <intellectualRights>\(rights)</intellectualRights>\n"
        }
        xml += contacts.map { Self.element("contact", $0) }.joined()
        return xml + "  </dataset>\n</eml:eml>"
    }

    /// Names are not taken apart: which part is whose is not the same everywhere.
    private static func element(_ name: String, _ party: Party) -> String {
        var parts = ""
        if !party.name.isEmpty {
            let surname = "<surName>\(DarwinCore.escaped(party.name))</surName>"
            parts += "<individualName>\(surname)</individualName>"
        }
        for (element, text) in [
            ("organizationName", party.organization), ("electronicMailAddress", party.email),
        ] where !text.isEmpty {
            parts += "<\(element)>\(DarwinCore.escaped(text))</\(element)>"
        }
        return "    <\(name)>\(parts)</\(name)>\n"
    }

    /// A licence that GBIF knows with the link by which it knows it; any other as it is.
    private static func rights(_ licence: String) -> String {
        let key = licence.uppercased().split { $0 == " " || $0 == "-" }.joined(separator: "-")
        guard let known = licences.first(where: { $0.name == key }) else {
            return DarwinCore.escaped(licence)
        }
        return "This work is licensed under a"
            + " <ulink url=\"https://creativecommons.org/\(known.path)/legalcode\">"
            + "<citetitle>\(known.title)</citetitle></ulink>."
    }
}
