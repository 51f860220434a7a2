import ShareCore

/// Definitions of one form whose authors had not seen each other's.
extension FormTables {
    /// The forms of which accepted definitions are there beside the one in force that had not seen
    /// it, and that it had not seen. Who adds the next version has seen them all; those of repeats
    /// come and go with the forms that they are of.
    ///
    /// - Complexity: O(definitions).
    func parallelDefinitions() -> [ParallelDefinitions] {
        let all = Dictionary(grouping: catalog.definitions.values) { $0.form.formID }
        return catalog.forms.values.compactMap { form -> ParallelDefinitions? in
            guard form.inForce.isAccepted, !form.inForce.form.isRepeat,
                let definitions = all[form.formID], definitions.count > 1
            else { return nil }
            return parallel(to: form.inForce, among: definitions)
        }.sorted { $0.inForce.form.formID < $1.inForce.form.formID }
    }

    /// What does not count is no version, and its author has seen what was before it all the same.
    private func parallel(
        to inForce: FormCatalog.Definition, among definitions: [FormCatalog.Definition]
    ) -> ParallelDefinitions? {
        let graph = RecordGraph(definitions.map(\.version))
        let named = (0..<graph.versions.count).map {
            catalog.definitions[graph.versions.name(of: $0)]
        }
        guard let position = named.firstIndex(where: { $0?.name == inForce.name }) else {
            return nil
        }
        let parallel = graph.parallel(to: [position])
        let accepted = named.indices.filter { parallel[$0] && named[$0]?.isAccepted == true }
        guard !accepted.isEmpty else { return nil }
        let seen = graph.seen(by: [position])
        return ParallelDefinitions(
            inForce: .init(inForce),
            others: graph.latest(of: accepted).compactMap { named[$0] }
                .sorted { ($1.clock, $1.name) < ($0.clock, $0.name) }.map { .init($0) },
            seen: named.indices.filter { seen[$0] }.compactMap { named[$0]?.form })
    }
}

extension ParallelDefinitions.Made {
    fileprivate init(_ definition: FormCatalog.Definition) {
        self.init(form: definition.form, author: definition.author, wall: definition.wall)
    }
}
