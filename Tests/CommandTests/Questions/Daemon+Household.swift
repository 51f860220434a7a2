import ShareTestKit
import Testing

extension Daemon {
    private static let householdForm = """
        {"form_id": "household", "version": "1", "title": {"en": "Household", "fr": "Ménage"},
         "default_language": "en", "key": ["id"], "fields": [
          {"name": "id", "type": "text", "label": {"en": "Number", "fr": "Numéro"},
           "required": true},
          {"name": "sick", "type": "select_one", "list": "yes_no", "label": "Is anybody sick?"},
          {"name": "fever", "type": "decimal", "label": "Fever", "relevant": "${sick} = 'yes'",
           "constraint": ". < 45", "constraint_message": "Nobody is that hot.",
           "x": {"unit": "Cel", "warn": ". > 41", "warn_message": "Measure again."}},
          {"name": "remarks", "type": "text", "label": "Remarks"}],
         "lists": {"yes_no": [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]}}
        """

    /// A daemon that founded the room `clinic` with the form `household`, of which questions are asked.
    static func household() async throws -> Daemon {
        let daemon = try await Daemon("ward-1")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let run = try await daemon.shared("form", "add", "-", input: householdForm)
        try #require(run.code == 0, "\(run.errors)")
        return daemon
    }
}
