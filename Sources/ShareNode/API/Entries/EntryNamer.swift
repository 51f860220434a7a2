import Expressions
import ShareCore
import ShareFormats
import ShareForms
import ShareStore
import Synchronization

/// Names entries as their form wants it (`instance_name`).
final class EntryNamer: Sendable {
    private let questionnaire: Questionnaire
    private let lists: RoomLists
    private let surroundings: EntrySurroundings
    private let known: [Bool]
    /// For all entries of a form without repeats.
    private let state: Mutex<FillState>

    /// Nil for a form that gives no names.
    /// - Parameter isInner: whether it names entries that others choose, and so has no names of
    ///   further ones in these.
    init?(
        _ questionnaire: Questionnaire, _ lists: RoomLists, _ surroundings: EntrySurroundings,
        isInner: Bool = false
    ) {
        guard questionnaire.namesEntries else { return nil }
        self.questionnaire = questionnaire
        self.lists = lists
        self.surroundings = surroundings
        known = [Bool](repeating: true, count: questionnaire.form.stored.count)
        state = Mutex(
            FillState(
                questionnaire, kind: .stored,
                setting: surroundings.setting(
                    lists, language: questionnaire.form.defaultLanguage, isInner: isInner)))
    }

    /// The name of an entry with these values of its form's columns; nil where it comes to none.
    ///
    /// - Parameter time: when it was made, in milliseconds since 1970; nil for now.
    func name(of values: [FieldValue], at time: Int64? = nil) -> String? {
        guard values.count >= known.count else { return nil }
        let now = time.map { Moment(milliseconds: $0) } ?? surroundings.now
        return state.withLock { state in
            state.show(values, known: known, now: now)
            return state.instanceName
        }
    }

    /// The name of an entry with the rows of its repeats.
    func name(of row: RecordRow, _ schema: FormSchema) -> String? {
        guard !schema.repeats.isEmpty else { return name(of: row.values, at: row.created) }
        return FillState(
            questionnaire, Answers(row.values, row.repeats, of: schema), kind: .stored,
            setting: surroundings.setting(of: schema, at: Moment(milliseconds: row.created))
        ).instanceName
    }
}
