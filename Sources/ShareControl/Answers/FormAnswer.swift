/// One form of a room.
package struct FormAnswer: Codable, Hashable, Sendable {
    package var formID: String
    package var title: String
    package var version: String
    package var records: Int

    package init(formID: String, title: String, version: String, records: Int) {
        self.formID = formID
        self.title = title
        self.version = version
        self.records = records
    }
}
