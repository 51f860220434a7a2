import ShareCore
import ShareCrypto

/// Control batches, and what a change of members or forms does to records that are held.
extension Room {
    /// Takes control batches in, as judged. Members and forms are at once as the result says; records
    /// follow (`Reindex`).
    mutating func judge(adding new: [ControlRecord], as judgement: Judgement) throws {
        let change = try policy.change(adding: new, as: judgement, log)
        let members = policy.members
        if change.settings.quota != policy.quota { pending.isAboveQuota = false }
        let plans = forms.catalog.plans
        if change.definesForms {
            try judgeForms(change)
        } else {
            // Rows go by the old roles.
            try recompute()
            policy.adopt(change)
        }
        let listed = lists.catalog
        if change.definesLists { try lists.install(ListCatalog(policy.controls), log) }
        pending.clock.observe(try policy.note(changed: change.changed, forms.catalog))
        roomSum +=
            RoomItems.sum(members: policy.members, without: members)
            + RoomItems.sum(forms: forms.catalog.plans, without: plans)
            + RoomItems.sum(lists: lists.catalog, without: listed)
        for author in change.authors {
            if author == identity.key { try reindex.beginPending(try pending.count(), policy) }
            try reindex.begin(author, log, policy)
        }
        try reindex.beginQuarantined(log, policy)
    }

    /// Makes the tables what the definitions accepted now say.
    private mutating func judgeForms(_ change: RoomPolicy.Change) throws {
        let old = forms.catalog
        let accepted = FormCatalog(change.controls, lingering: [])
        for name in Set(accepted.definitions.keys).union(old.definitions.keys) {
            guard accepted.differs(from: old, for: name) else { continue }
            let isAccepted = accepted.definitions[name]?.isAccepted ?? false
            try reindex.begin(name, isAccepted: isAccepted)
        }
        // Rows go by the old tables, so records are worked out before the tables change.
        try recompute()
        policy.adopt(change)
        try installForms()
    }

    /// The definitions held, with those that have records left.
    func catalogWithLingering() throws -> FormCatalog {
        let lingering = reindex.lingering
        var controls = policy.controls
        for index in controls.indices where controls[index].defines(anyOf: lingering) {
            try controls[index].open(from: log)
        }
        return FormCatalog(controls, lingering: lingering)
    }

    /// Makes the tables what the definitions say that are accepted, or have records left.
    mutating func installForms() throws {
        try recompute()
        let catalog = try catalogWithLingering()
        if forms.catalog.forms(under: catalog) == nil {
            for (formID, form) in forms.catalog.forms {
                guard let plan = catalog.plans[formID] else { continue }
                try records.keepValues(
                    of: plan.unplaced.intersection(form.names.keys), in: form)
            }
        }
        let old = forms.catalog
        try forms.install(catalog)
        for (formID, form) in forms.catalog.forms {
            let unplaced = old.plans[formID]?.unplaced ?? []
            let sharing = old.forms[formID].map { ColumnNames.sharing($0.names) }
            let isShared = sharing.map { $0 != ColumnNames.sharing(form.names) } ?? false
            if isShared || !unplaced.isDisjoint(with: form.names.keys) {
                try records.showAgain(form)
            }
        }
    }
}
