/// One version of a form as it travels: what every receiver needs to judge a record by, and the
/// form's JSON, which only those who show or fill the form read.
package struct FormDefinition: Hashable, Sendable {
    package let formID: String
    package let version: String
    /// The definitions of this form that its author had seen and replaces.
    package let parents: [OperationName]
    /// In the order of the form; records name fields by their place in this list.
    package let fields: [FormField]
    /// The whole definition, as JSON.
    package let json: String

    package init(
        formID: String, version: String, parents: [OperationName], fields: [FormField], json: String
    ) {
        self.formID = formID
        self.version = version
        self.parents = parents
        self.fields = fields
        self.json = json
    }
}
