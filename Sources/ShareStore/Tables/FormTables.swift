import ShareCore

/// The tables of the forms: for each form with an accepted definition one table, with a column for
/// each of its fields, named as `FormCatalog` says.
///
/// Beside them it owns `_form`, with the number of records that each table shows, `_field`, and an
/// index on the key of each form that has one.
/// What the file has is what `catalog` says, from one transaction to the next. The rows are
/// `RecordTables`'.
struct FormTables {
    let database: Database
    /// Where forms look up lists.
    let lists: RoomLists
    private(set) var catalog = FormCatalog()
    /// Records shown, by form number; written back when a transaction ends.
    private(set) var shown: [Int64: Int] = [:]
    private var shownChanged: Set<Int64> = []
    /// What `catalog` says of each form, put together when it is first asked for.
    private var known = KnownForms()

    init(_ database: Database, _ lists: RoomLists) {
        self.database = database
        self.lists = lists
    }

    /// Takes over the tables of a file that is up to date.
    mutating func load(_ catalog: FormCatalog) throws {
        shown = [:]
        shownChanged = []
        for row in try database.rows("SELECT form, records FROM _form") {
            guard case .integer(let form) = row[0], case .integer(let records) = row[1] else {
                continue
            }
            shown[form] = Int(records)
        }
        self.catalog = catalog
        self.catalog.forms = try loadForms(catalog)
        known = KnownForms()
    }

    /// Drops all tables and what is noted of them.
    mutating func removeAll(_ catalog: FormCatalog) throws {
        try dropViews()
        for table in try database.rows("SELECT table_name FROM _form WHERE table_name IS NOT NULL")
        {
            guard case .text(let name) = table[0] else { continue }
            try database.execute("DROP TABLE IF EXISTS \(SQLName.quote(name))")
        }
        // Where `_form` was damaged, tables may stand that it does not name.
        for plan in catalog.plans.values {
            try database.execute("DROP TABLE IF EXISTS \(SQLName.quote(plan.table))")
        }
        try database.execute("DELETE FROM _form; DELETE FROM _field")
        database.forgetStatements()
        self.catalog = FormCatalog()
        known = KnownForms()
        shown = [:]
        shownChanged = []
    }

    mutating func count(shown change: Int, in form: Int64) {
        shown[form, default: 0] += change
        shownChanged.insert(form)
    }

    /// Writes the counts back, at the end of a transaction.
    mutating func persist() throws {
        for form in shownChanged {
            try database.run(
                "UPDATE _form SET records = ?2 WHERE form = ?1", .integer(form),
                .integer(Int64(shown[form] ?? 0)))
        }
        shownChanged = []
    }

    /// Makes the tables what a catalog says. Rows that the change takes the ground from have been
    /// taken out before.
    mutating func install(_ catalog: FormCatalog) throws {
        var catalog = catalog
        catalog.forms = try self.catalog.forms(under: catalog) ?? installTables(catalog)
        try installKeys(catalog)
        try installViews(catalog)
        self.catalog = catalog
        known = KnownForms()
    }

    // MARK: Forms

    /// The forms that there are: not those that are on their way out.
    private var inForce: [FormTable] {
        catalog.forms.values.filter(\.inForce.isAccepted)
    }

    /// All forms, by id.
    func forms() -> [FormInfo] { inForce.map { info($0) }.sorted { $0.formID < $1.formID } }

    func form(_ formID: String) -> FormInfo? {
        guard let form = catalog.forms[formID], form.inForce.isAccepted else { return nil }
        return info(form)
    }

    private func info(_ form: FormTable) -> FormInfo {
        let info = known.forms[form.formID] ?? read(form)
        known.forms[form.formID] = info
        return counted(info)
    }

    private func counted(_ form: FormInfo) -> FormInfo {
        var form = form
        form.records = shown[form.number] ?? 0
        form.repeats = form.repeats.map { counted($0) }
        return form
    }

    private func read(_ form: FormTable) -> FormInfo {
        let current = form.inForce.form.fields
        let isCurrent = Set(current)
        let rest = form.columns.map(\.field).filter { !isCurrent.contains($0) }
        let columns = Dictionary(uniqueKeysWithValues: form.columns.map { ($0.field, $0) })
        let accepted = accepted(form)
        return FormInfo(
            number: form.number, definition: form.inForce.name, form: form.inForce.form,
            versions: Set(accepted.map(\.form.version)),
            definitions: Dictionary(
                uniqueKeysWithValues: accepted.map { ($0.definition, $0.form.fields) }),
            accepted: accepted,
            records: 0, table: form.table,
            columns: (current + rest).compactMap { field in
                columns[field].map {
                    FormInfo.Column(field: field, name: $0.name, whole: $0.whole)
                }
            }, roots: roots(of: form), repeats: repeats(of: form.formID), lists: lists)
    }

    /// That in force, then the others, the latest first.
    private func accepted(_ form: FormTable) -> [FormInfo.Root] {
        let others = catalog.definitions.values.filter {
            $0.isAccepted && $0.form.formID == form.formID && $0.name != form.inForce.name
        }
        return ([form.inForce] + others.sorted { ($1.clock, $1.name) < ($0.clock, $0.name) })
            .map { FormInfo.Root(definition: $0.name, form: $0.form) }
    }

    private func roots(of form: FormTable) -> [FormInfo.Root] {
        guard form.inForce.form.isRepeat,
            let root = catalog.forms[FormDefinition.outermostForm(of: form.formID)],
            root.inForce.isAccepted
        else { return [] }
        return accepted(root)
    }

    private func repeats(of formID: String) -> [FormInfo] {
        guard !catalog.repeats.isEmpty, !formID.isEmpty else { return [] }
        return (catalog.repeatsOf[formID] ?? []).compactMap { catalog.forms[$0] }
            .filter(\.inForce.isAccepted).map { info($0) }.sorted { $0.formID < $1.formID }
    }

    /// Where an accepted definition of a form has a field; nil if none has.
    func position(of field: FormField, in formID: String) -> FieldPosition? {
        catalog.definitions.values.filter { $0.isAccepted && $0.form.formID == formID }
            .sorted { $0.name < $1.name }.lazy
            .compactMap { definition in
                definition.form.fields.firstIndex(of: field).map {
                    FieldPosition(definition: definition.name, position: $0)
                }
            }.first
    }

    /// All definitions that are held.
    func definitions() -> [OperationName: FormDefinition] {
        catalog.definitions.mapValues(\.form)
    }

    /// The accepted definitions of a form that no accepted one replaces: the parents of the next.
    func heads(of formID: String) -> [OperationName] {
        let definitions = catalog.definitions.values.filter {
            $0.isAccepted && $0.form.formID == formID
        }
        return RecordGraph(definitions.map(\.version))
            .headNames(upTo: Limits.parentsPerOperation)
    }

    /// The definition in force of each form.
    var definitionsInForce: [String: OperationName] { catalog.plans.mapValues(\.inForce.name) }
}

/// Forms by id as one catalog says, without the counts of their records.
private final class KnownForms {
    var forms: [String: FormInfo] = [:]
}
