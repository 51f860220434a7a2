import Foundation
import JSON
import ShareTestKit
import Testing

/// A form with what conditions, figures and charts find hard, and some entries of it.
enum FindScene {
    private static let form = #"""
        {"form_id": "household", "version": "1", "title": "Households", "key": ["hh_id"],
         "default_language": "en", "fields": [
          {"name": "hh_id", "type": "text"},
          {"name": "village", "type": "select_one", "list": "village"},
          {"name": "visited", "type": "date"},
          {"name": "fever", "type": "decimal"},
          {"name": "symptoms", "type": "select_multiple", "list": "symptoms"},
          {"name": "remarks", "type": "text"},
          {"name": "gps", "type": "geopoint"},
          {"name": "Culmen Length (mm)", "type": "decimal"},
          {"name": "Date Egg", "type": "date"},
          {"name": "ratio", "type": "calculate", "calculation": "round(${fever} * 2 - 63, 1)"},
          {"name": "person", "type": "repeat", "label": "Person", "fields": [
            {"name": "pname", "type": "text"}]}],
         "lists": {
          "village": [{"name": "koro", "label": {"en": "Koro", "fr": "Koro"}},
                      {"name": "segou", "label": {"en": "Segou", "fr": "Ségou-Ville"}}],
          "symptoms": [{"name": "cough", "label": {"en": "Cough", "fr": "Toux"}},
                       {"name": "rash", "label": {"en": "Rash", "fr": "Éruption"}}]}}
        """#

    private static let entries = #"""
        [{"_id": "01a20863-0000-7000-8000-000000000001", "hh_id": "KOR-1", "village": "koro", "visited": "2026-10-01", "fever": 36.35,
          "symptoms": ["cough"], "remarks": "Schule", "gps": "12.1 -3.2 0 0",
          "Culmen Length (mm)": 39.1, "Date Egg": "2026-11-02",
          "person": [{"pname": "Öztürk"}, {"pname": "Kaya"}]},
         {"hh_id": "KOR-2", "village": "koro", "visited": "2026-10-01", "fever": 45.35,
          "symptoms": ["cough", "rash"], "remarks": "300", "Culmen Length (mm)": 41.5},
         {"hh_id": "SEG-1", "village": "segou", "visited": "2026-10-20", "fever": 36.5,
          "remarks": "20"},
         {"hh_id": "KOR-3", "village": "koro", "visited": "2026-10-20"}]
        """#

    /// A daemon that founded the room `clinic` with these entries; `ratio` is 9.7, 27.7 and 10.
    static func daemon() async throws -> Daemon {
        let daemon = try await Daemon("ana")
        try #require(try await daemon.shared("create", "clinic").code == 0)
        let added = try await daemon.shared("form", "add", "-", input: form)
        try #require(added.code == 0, "\(added.errors)")
        let path = daemon.folder.path + "/entries.json"
        try Data(entries.utf8).write(to: URL(filePath: path))
        let run = try await daemon.shared("import", "household", path)
        try #require(run.code == 0, "\(run.errors)")
        return daemon
    }
}
