extension Form {
    /// The first field with a type that is not known and near to one that is: a slip where the form
    /// is written, and kept as text where it comes from elsewhere. Nil where there is none.
    package var misspelt: FormError? {
        for field in fields + repeats.flatMap(\.fields) {
            guard case .unknown(let type) = field.kind,
                let hint = FieldKind.hint(forUnknown: type)
            else { continue }
            return FormError(
                .badShape, at: "field \"\(FormReader.shown(field.name))\"",
                "there is no type \"\(FormReader.shown(type))\"",
                hint: hint.prefix(1).uppercased() + hint.dropFirst())
        }
        return nil
    }
}
