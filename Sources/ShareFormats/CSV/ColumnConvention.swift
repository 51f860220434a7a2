internal import ShareCore

/// Programs whose files of entries have columns of their own names.
package enum ColumnConvention: String, CaseIterable, Sendable {
    case central, kobo
}

extension ImportColumns {
    /// What ODK Central puts behind a geopoint's name, for the numbers of a place in their order.
    package static let centralParts = ["-Latitude", "-Longitude", "-Altitude", "-Accuracy"]
    /// The same of KoboToolbox, which has the whole place beside it.
    package static let koboParts = ["_latitude", "_longitude", "_altitude", "_precision"]

    /// How KoboToolbox names the entry of a row of a repeat, and the place in its file of what the
    /// row belongs to.
    package static let koboEntry = "_submission__uuid"
    package static let koboParentPlace = "_parent_index"
    /// What a row belongs to: KoboToolbox has no such column, and passes over it.
    package static let koboParent = "_parent_uuid"

    /// The groups that a field lies in, outermost first; of a repeat's field those in the repeat.
    package static func groups(of field: Form.Field, in form: Form) -> [String] {
        guard form.isRepeat, let name = form.formID.split(separator: "/").last,
            let position = field.path.lastIndex(of: String(name))
        else { return field.path }
        return Array(field.path[(position + 1)...])
    }

    /// What titles of other programs mean, for a file with these.
    struct Conventions {
        private let parser: ValueParser
        private let isCentral: Bool
        let isKobo: Bool
        /// Whether rows of a repeat have no name but their place among those of their entry.
        let areNamedByPlace: Bool
        /// Whether they name what they belong to, and not their entry and a place alone.
        private let nameParents: Bool
        /// Places of fields by their names with those of their groups.
        private var positions: [String: Int] = [:]

        private let isRaw: Bool

        init(_ titles: [String], _ parser: ValueParser, isRaw: Bool) {
            self.parser = parser
            self.isRaw = isRaw
            isCentral =
                titles.contains(ImportColumns.key)
                && (titles.contains("SubmissionDate") || titles.contains(ImportColumns.parentKey))
            let isRepeat = parser.form.isRepeat
            isKobo =
                !titles.contains(ImportColumns.parentKey)
                && (titles.contains("_uuid") || isRepeat && titles.contains("_parent_table_name"))
            areNamedByPlace = isKobo && isRepeat && !titles.contains("_uuid")
            nameParents = titles.contains(ImportColumns.koboParent)
            for (position, field) in parser.form.stored.enumerated() {
                for path in [field.path, ImportColumns.groups(of: field, in: parser.form)]
                where !path.isEmpty {
                    for separator in ["-", "/"] {
                        positions[(path + [field.name]).joined(separator: separator)] = position
                    }
                }
            }
        }

        /// What a column of that title is for; nil where it means nothing in particular.
        func use(of title: String) -> Use? {
            if isKobo {
                let isRepeat = parser.form.isRepeat
                let isInner = parser.form.formID.count { $0 == "/" } > 1
                switch title {
                case "_uuid": return .key
                case ImportColumns.koboParent where isRepeat: return .parentKey
                case ImportColumns.koboEntry where isRepeat:
                    return nameParents ? .ignored : .parentKey
                case ImportColumns.koboParentPlace where isInner && !nameParents:
                    return .parentPlace
                // Rows of repeats in it name it by that place.
                case "_index" where areNamedByPlace && !parser.form.repeats.isEmpty:
                    return .field(1, isGuarded: false)
                case "_id", "_index": return .ignored
                default: break
                }
            }
            let fields = parser.form.stored
            if fields.contains(where: { $0.name == title }) { return nil }
            if let position = positions[title] {
                return .field(position, isGuarded: fields[position].storage == .text && !isRaw)
            }
            for (part, ending) in ImportColumns.centralParts.enumerated()
            where title.hasSuffix(ending) {
                let name = String(title.dropLast(ending.count))
                let position = positions[name] ?? fields.firstIndex { $0.name == name }
                if let position, fields[position].kind == .geopoint { return .part(position, part) }
            }
            // One choice of several, which the column of the field itself has too; its name may have
            // a slash in it.
            for slash in title.indices where title[slash] == "/" {
                let name = String(title[..<slash])
                let position = positions[name] ?? fields.firstIndex { $0.name == name }
                if let position, fields[position].kind.isSeveral { return .ignored }
            }
            guard isCentral || isKobo else { return nil }
            // Parts of places stand behind their groups there too.
            if isKobo, title.split(separator: "/").last?.hasPrefix("_") == true { return .ignored }
            let isOwn =
                Conventions.own.contains(title) || title.hasPrefix("SET-OF-")
                || title.hasPrefix("meta-") || title.hasPrefix("meta/")
                || title.hasPrefix("formhub/")
            // A note has a column there, and never a value.
            let last = title.split { $0 == "-" || $0 == "/" }.last.map(String.init) ?? title
            let isNote = parser.form.fields.contains { $0.name == last && $0.storage == nil }
            return isOwn || isNote ? .ignored : nil
        }

        /// What these programs say of an entry beside its answers.
        private static let own: Set<String> = [
            "SubmissionDate", "SubmitterID", "SubmitterName", "AttachmentsPresent",
            "AttachmentsExpected", "Status", "ReviewState", "DeviceID", "Edits", "FormVersion",
            "__version__",
        ]
    }
}
