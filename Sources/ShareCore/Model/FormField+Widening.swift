extension FormField {
    /// Whether this field takes over the values of another: decimals those of whole numbers of the
    /// same name.
    package func widens(_ other: FormField) -> Bool {
        type == .decimal && other.type == .integer && name.utf8.elementsEqual(other.name.utf8)
    }
}
