package import ShareCore

/// Writes records as JSON objects with the same names in the same order, quickly: the names are
/// escaped once. An absent value is null.
package struct RecordJSON: Sendable {
    private let keys: [[UInt8]]

    /// Names of the members, in order.
    package init(names: [String]) {
        keys = names.enumerated().map { index, name in
            var output = JSONOutput()
            output.raw(index == 0 ? "{" : ",")
            output.text(name)
            output.raw(":")
            return output.bytes
        }
    }

    package var count: Int { keys.count }

    /// Appends one object; `values` are as many as the names.
    package func append(_ values: [FieldValue], to output: inout JSONOutput) {
        precondition(values.count == keys.count, "as many values as names")
        if keys.isEmpty { output.raw("{") }
        for index in keys.indices {
            output.raw(keys[index])
            switch values[index] {
            case .absent: output.null()
            case .integer(let value): output.integer(value)
            case .decimal(let value): output.decimal(value)
            case .text(let value): output.text(value)
            }
        }
        output.raw("}")
    }

    /// Appends the opening bracket or comma and the name of member `index`, for callers that
    /// write each value themselves; after the last one they call `end`.
    package func key(_ index: Int, to output: inout JSONOutput) { output.raw(keys[index]) }

    /// Appends the closing bracket.
    package func end(to output: inout JSONOutput) { output.raw(keys.isEmpty ? "{}" : "}") }
}
