import Expressions
import ShareCore
import ShareFormats

/// The items that expressions name, what is wrong with the names, and what follows for their values.
extension QuestionnaireCompiler {
    /// The items that a reference names: all inside a group; nil where there is no such field.
    func targets(of reference: Reference, at position: Int) -> [Int]? {
        if isNull(reference) { return [] }
        guard let target = target(of: reference, at: position) else { return nil }
        guard target.instance == nil else { return [] }
        guard !target.names.isEmpty else { return [0] }
        var found = [0]
        for name in target.names.dropFirst() {
            // Looked up by name, as a form of 500 fields may name its fields 1,000 times.
            found = found.flatMap { parent in
                name == [0x2A]
                    ? items[parent].children
                    : (named[name] ?? []).filter {
                        items[$0].parent == parent && items[$0].name == name
                    }
            }
            if found.isEmpty { return nil }
        }
        return found
    }

    /// Whether a form means no value: as `null` is a name of nothing, JavaRosa makes an empty text
    /// of it, and the WHO's verbal autopsy counts on that.
    private func isNull(_ reference: Reference) -> Bool {
        let name = Array("null".utf8)
        guard case .context = reference.root, reference.moves == [.child(name)] else {
            return false
        }
        return named[name] == nil
    }

    private func target(of reference: Reference, at position: Int) -> Reference.Target? {
        reference.target(from: items[position].path) { name in
            item(named: name, seenFrom: position).map { items[$0].path }
        }
    }

    private func item(named name: [UInt8], seenFrom position: Int) -> Int? {
        named[name].map { items.nearest(of: $0, to: position) }
    }

    /// What is wrong with a reference, if anything is.
    ///
    /// - Parameter withHint: False where nobody reads it: an expression can name thousands of fields
    ///   that are not there, and each is compared with all names.
    func fault(
        of reference: Reference, at position: Int, withHint: Bool
    ) -> (text: String, hint: String?, isAboutField: Bool)? {
        if let target = target(of: reference, at: position), let list = target.instance {
            return fault(ofList: list, target.names, withHint)
        }
        if targets(of: reference, at: position) != nil { return nil }
        var name = "such a path"
        if case .field(let field) = reference.root, named[field] == nil {
            name = String(decoding: field, as: UTF8.self)
        } else {
            for move in reference.moves {
                if case .child(let child) = move { name = String(decoding: child, as: UTF8.self) }
            }
        }
        // Such a path leads to none, and the name alone does.
        let isElsewhere = isName(name)
        var hint: String?
        if withHint {
            hint =
                isElsewhere
                ? "Did you mean ${\(name)}?"
                : Suggestion.nearest(to: name, among: itemNames).map { "Did you mean \($0)?" }
        }
        return ("there is no field \(name)\(isElsewhere ? " at that path" : "")", hint, true)
    }

    /// Whether a field, group or repeat is called so.
    private func isName(_ name: String) -> Bool {
        let name = Array(name.utf8)
        return named[name]?.contains { $0 > 0 && items[$0].name == name } ?? false
    }

    /// A list of the form says which columns it has; others are not known here.
    private func fault(
        ofList list: [UInt8], _ names: [[UInt8]], _ withHint: Bool
    ) -> (text: String, hint: String?, isAboutField: Bool)? {
        guard let table = tables[list], names.count == 3, names[2] != [0x2A],
            !columns.contains(names[2])
        else { return nil }
        let column = String(decoding: names[2], as: UTF8.self)
        var hint: String?
        if withHint {
            let known = table.columns.map { String(decoding: $0, as: UTF8.self) }
            hint = Suggestion.hint(for: column, among: known, otherwise: "")
        }
        return (
            "the list \(String(decoding: list, as: UTF8.self)) has no column \(column)", hint, false
        )
    }

    /// What every value of a term is, as far as that is known: of a text that is kept of it, the
    /// next call cannot tell any more.
    func computed(
        _ term: Term.ID, of expression: Expression, at position: Int
    ) -> EntryTree.Computed {
        func computed(_ term: Term.ID) -> EntryTree.Computed {
            self.computed(term, of: expression, at: position)
        }
        switch expression.terms[term].kind {
        case .call(.once, let operands) where operands.count == 1: return computed(operands[0])
        case .call(.condition, let operands), .call(.coalesce, let operands):
            // `''` is no answer, and of any kind.
            let ways = operands.suffix(2).filter {
                if case .string(let text) = expression.terms[$0].kind {
                    !text.isEmpty
                } else {
                    true
                }
            }.map { computed($0) }
            return ways.first.map { first in ways.allSatisfy { $0 == first } ? first : .plain }
                ?? .plain
        case .call(.date, _), .call(.dateTime, _): return .date
        case .path(let path):
            guard case .field(let name) = path.root, path.steps.isEmpty,
                let found = item(named: name, seenFrom: position)
            else { return .plain }
            switch items[found].field?.kind.storage {
            case .date, .dateTime: return .date
            default: return .plain
            }
        default: return EntryTree.Computed(expression.terms[term].type)
        }
    }

    /// Notes what rows of repeats decide about, be it through what is computed of them.
    mutating func noteReadersOfRepeats() {
        let outer = items.indices.filter { items[$0].scope == 0 }
        let reads = outer.map { position in
            items[position].rules.all.flatMap { items(of: $0, at: position) }
        }
        for (position, read) in zip(outer, reads) {
            items[position].readsRepeats = read.contains {
                items[$0].scope != 0 || items[$0].isRepeat
            }
        }
        var isDone = false
        while !isDone {
            isDone = true
            for (position, read) in zip(outer, reads) where !items[position].readsRepeats {
                let follows = read.contains {
                    items[$0].readsRepeats && items[$0].rules.calculation != nil
                }
                guard follows else { continue }
                items[position].readsRepeats = true
                isDone = false
            }
        }
    }
}
