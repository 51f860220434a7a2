internal import ShareCore

/// The bounds of a form. They keep a definition well within one batch.
package enum FormLimits {
    /// Of the definition's JSON.
    package static let jsonBytes = Limits.definitionText
    package static let fields = Limits.fieldsPerForm
    package static let lists = 500
    /// Of one list inside a form.
    package static let choices = 10_000
    /// Of the id, the version, and each name of a field, group, list.
    package static let nameBytes = min(Limits.fieldName, Limits.formID)
    package static let choiceNameBytes = 255
    package static let labelBytes = 16 * 1024
    /// Of one value as text.
    package static let valueBytes = 256 * 1024
    /// Of all values of an entry; with its frame it has to fit the body of one batch.
    package static let entryBytes = 768 * 1024
    /// Warnings beyond these are counted in one last warning.
    package static let warnings = 100
}
