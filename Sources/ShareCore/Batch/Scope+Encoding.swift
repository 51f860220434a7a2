package import ShareCrypto

/// A scope as it stands in a grant or a role change: null for none (docs/protocol.md, "Scope").
extension Scope {
    /// Reads a scope; nil for none.
    ///
    /// - Throws: `CBORError` where it is not the one encoding, or holds too much.
    init?(from reader: inout CBORReader) throws(CBORError) {
        if reader.isNextNull {
            try reader.readNull()
            return nil
        }
        var forms: [Form] = []
        for _ in 0..<(try Scope.count(&reader, upTo: Limits.formsPerScope)) {
            try reader.readArray(exactly: 2)
            let id = try reader.readText(upTo: Limits.formIDPart)
            var conditions: [Condition] = []
            for _ in 0..<(try reader.readArray(upTo: Limits.conditionsPerForm)) {
                try reader.readArray(exactly: 2)
                let field = try reader.readText(upTo: Limits.fieldName)
                var values: [String] = []
                for _ in 0..<(try Scope.count(&reader, upTo: Limits.valuesPerCondition)) {
                    values.append(try reader.readText(upTo: Limits.scopeValue))
                }
                try Scope.requireAscending(values)
                conditions.append(Condition(field: field, values: values))
            }
            try Scope.requireAscending(conditions.map(\.field))
            forms.append(Form(id: id, conditions: conditions))
        }
        try Scope.requireAscending(forms.map(\.id))
        self.init(forms: forms)
    }

    private static func count(
        _ reader: inout CBORReader, upTo limit: Int
    ) throws(CBORError) -> Int {
        let count = try reader.readArray(upTo: limit)
        guard count > 0 else { throw CBORError.outOfRange }
        return count
    }

    private static func requireAscending(_ texts: [String]) throws(CBORError) {
        guard zip(texts, texts.dropFirst()).allSatisfy({ precedes($0, $1) }) else {
            throw CBORError.notDeterministic
        }
    }

    /// Tells lists of scopes apart.
    package static func digest(of scopes: [Scope]) -> Digest {
        var writer = CBORWriter()
        for scope in scopes { writer.write(scope) }
        return Hash.digest(writer.bytes)
    }

    /// Whether it keeps to what a receiver takes.
    package var isSound: Bool {
        var writer = CBORWriter()
        writer.write(self)
        let read = try? writer.bytes.readCBOR { (reader) throws(CBORError) in
            try Scope(from: &reader)
        }
        return read != nil
    }
}

extension CBORWriter {
    /// Writes a scope; null for none.
    mutating func write(_ scope: Scope?) {
        guard let scope else { return writeNull() }
        array(scope.forms.count)
        for form in scope.forms {
            array(2)
            write(text: form.id)
            array(form.conditions.count)
            for condition in form.conditions {
                array(2)
                write(text: condition.field)
                array(condition.values.count)
                for value in condition.values { write(text: value) }
            }
        }
    }
}
