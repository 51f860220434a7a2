import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

extension FindService {
    /// What the values of a field come to, or of all fields.
    func statistics(
        _ formID: String, in room: OpenRoom, _ fields: HTTPFields
    ) async throws -> StatsAnswer {
        let schema = try await schemas.find(formID, in: room)
        let text = try await conditionText(schema, in: room)
        let conditions = try await text.conditions(fields)
        let reader = try await reader(
            of: room, isFlagged: conditions.contains { $0.readsFlags })
        var wanted = fields.values(of: "field")
        if wanted.isEmpty {
            // Those with _ in front, of rows of repeats, nobody asks for.
            wanted = schema.form.stored.map(\.name).filter { !$0.hasPrefix("_") }
        }
        let weight = try fields["weight"].map { name in
            let subject = try text.subject(name).subject
            guard wanted.count == 1, subject.isNumber(in: schema.info),
                try text.subject(wanted[0]).subject.isNumber(in: schema.info)
            else {
                throw Problem(
                    .badRequest, "the mean of one number is weighted by a number",
                    hint: "For instance `shared stats course grade --weight credits`.")
            }
            return subject
        }
        var answers: [FieldStatsAnswer] = []
        var entries: Int?
        for name in wanted {
            let (named, index) = try text.subject(name)
            let subject =
                index.map { schema.form.stored[$0].kind.isChoice } == true
                ? named : try await reader.asNumbers(schema.info, named)
            let found = try await reader.statistics(schema.info, of: subject, where: conditions)
            entries = found.n + found.missing
            let field = self.field(name, index, schema)
            var answer = FieldStatsAnswer(
                name: field.name, label: field.label, unit: field.unit, n: found.n,
                missing: found.missing, notFinite: found.notFinite, distinct: found.distinct)
            if subject.isOrdered(in: schema.info) {
                (answer.min, answer.max) = (found.least.json, found.greatest.json)
            }
            (answer.sum, answer.mean) = (found.sum, found.mean)
            if let weight {
                let all = try await reader.figures(
                    schema.info, FigureQuery(where: conditions, of: subject, weight: weight)
                ).groups.first
                (answer.mean, answer.weighted) = (all?.mean, all?.weighted?.n)
            }
            if let quartiles = found.quartiles {
                (answer.q1, answer.median, answer.q3) = (quartiles[0], quartiles[1], quartiles[2])
            }
            answers.append(answer)
        }
        if entries == nil { entries = try await reader.count(schema.info, where: conditions) }
        return StatsAnswer(
            form: schema.info.formID, title: schema.form.displayTitle(), entries: entries ?? 0,
            fields: answers,
            earlier: try await earlier(fields, about: wanted, of: schema, in: room),
            withheld: try await withheld(schema, where: conditions, reader))
    }
}

extension RecordQuery.Subject {
    /// Whether a least and a greatest value say something.
    fileprivate func isOrdered(in form: FormInfo) -> Bool {
        if case .number = self { return true }
        guard case .column(let name) = self,
            let column = form.columns.first(where: { $0.name == name })
        else { return false }
        return column.field.type != .text
    }
}

extension FieldValue {
    fileprivate var json: JSONValue? {
        self == .absent ? nil : RecordsValues.json(self, isSeveral: false)
    }
}
