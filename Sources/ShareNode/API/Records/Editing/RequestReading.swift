import ShareCore
import ShareStore

/// The values of a request as a form reads them: outside of the store's turn, as it may take long to
/// find the entry that somebody means.
struct RequestReading<Values: Sendable>: Sendable {
    private let read: @Sendable (FormSchema) throws -> Values
    private let done: (form: FormInfo, result: Result<Values, any Error>)?

    /// Reads them by the form that there is; nil where it is not known yet.
    init(_ schema: FormSchema?, _ read: @escaping @Sendable (FormSchema) throws -> Values) {
        self.read = read
        done = schema.map { schema in
            (schema.info, Result { try Self.values(of: schema, read) })
        }
    }

    /// In the store's turn: reads them again only where the form is another by now.
    func values(of schema: FormSchema) throws -> Values {
        if let done, done.form.isRead(as: schema.info) { return try done.result.get() }
        return try Self.values(of: schema, read)
    }

    private static func values(
        of schema: FormSchema, _ read: (FormSchema) throws -> Values
    ) throws -> Values {
        try schema.info.lists.checked { try read(schema) }
    }
}
