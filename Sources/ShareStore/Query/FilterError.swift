/// A condition that a list of records cannot be asked for.
package enum FilterError: Error, Hashable, Sendable {
    /// It breaks the grammar: what stands at `offset`, in bytes, and what was expected there.
    case syntax(offset: Int, found: String, expected: String, hint: String?)
    /// Something that is not evaluated here, such as a function of one server.
    case unsupported(what: String, hint: String?)
    /// A field that the form does not have.
    case unknownField(name: String)
    /// It reads a list, or a path that leads to no field.
    case unknownPath
    /// It reads more fields than fit in one condition.
    case tooManyFields(limit: Int)
}
