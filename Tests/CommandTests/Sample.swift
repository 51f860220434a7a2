/// The form that these tests fill in, and files of rows.
enum Sample {
    static let form = """
        {"form_id": "visit", "version": "1", "title": "Visit", "key": ["name"], "fields": [
          {"name": "name", "type": "text", "required": true},
          {"name": "age", "type": "integer", "required": true},
          {"name": "weight", "type": "decimal"},
          {"name": "seen", "type": "date"},
          {"name": "symptoms", "type": "select_multiple", "list": "symptoms"}],
         "lists": {"symptoms": ["cough", "fever", "rash"]}}
        """

    /// A CSV with so many rows; each `change` stands in its row, counted from 1.
    static func csv(rows: Int, changes: [Int: String] = [:]) -> String {
        var text = "name,age,weight,seen,symptoms\n"
        text.reserveCapacity(rows * 48)
        for row in 1...max(1, rows) where rows > 0 {
            text += changes[row] ?? "person \(row),\(row % 97),\(row % 50).5,2026-11-21,cough"
            text += "\n"
        }
        return text
    }
}
