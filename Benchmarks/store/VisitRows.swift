import ShareCore
import ShareStore

/// Entries like those of `Benchmarks/visits.json`, the same for the same numbers.
enum VisitRows {
    static let fields = [
        FormField(name: "patient_id", type: .integer), FormField(name: "first_name", type: .text),
        FormField(name: "last_name", type: .text), FormField(name: "birth_date", type: .date),
        FormField(name: "village", type: .text), FormField(name: "visited_on", type: .date),
        FormField(name: "diagnosis", type: .text), FormField(name: "temperature", type: .decimal),
        FormField(name: "remarks", type: .text),
    ]

    private static let first = ["Sara", "Jacob", "Amina", "Kofi", "Mei", "Grace", "Fatima", "José"]
    private static let last = ["Okafor", "Mwangi", "Nakamura", "Banda", "Hernández", "Achieng"]
    private static let villages = ["Kisumu Ndogo", "Mji Mpya", "San Pedro", "Chipata East"]
    private static let diagnoses = ["Malaria", "Chickenpox", "Typhoid fever", "Otitis media"]
    private static let remarks = [
        "Fever since two days ago, gave artemether, come back on Monday",
        "Cough since last week, advised rest and fluids, no follow-up needed",
        "Rash since the weekend, referred to the hospital, call if worse",
    ]

    static func rows(_ range: Range<Int>, of definition: OperationName) -> NewRows {
        NewRows(
            definition: definition, fields: Array(fields.indices), rows: range.map(row))
    }

    private static func row(_ number: Int) -> [FieldValue] {
        func pick(_ words: [String], _ by: Int) -> FieldValue {
            .text(words[number / by % words.count])
        }
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let birth = "19\(40 + number % 60)-\(two(1 + number % 12))-\(two(1 + number % 28))"
        return [
            .integer(Int64(100_000 + number)), pick(first, 1), pick(last, 3), .text(birth),
            pick(villages, 7), .text("2026-11-\(two(1 + number / 40_000 % 28))"),
            pick(diagnoses, 11), .decimal(36 + Double(number % 40) / 10),
            pick(remarks, 5),
        ]
    }
}
