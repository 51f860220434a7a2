import Expressions
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// What this device knows that forms ask for: the time here, its name.
struct EntrySurroundings: Sendable {
    let own: OwnDevice
    /// Milliseconds since 1970.
    var wall: @Sendable () -> UInt64
    /// What other devices call themselves.
    var peers = PeerNames()
    let chosen = ChosenForms()

    var now: Moment { Moment(milliseconds: Int64(clamping: wall())) }

    /// A device in a sentence, by the text of its id.
    func called(_ author: String) -> String {
        guard let key = DeviceKey(text: author) else { return author }
        let name = key == own.key ? own.name : peers.name(of: key)
        return key.called(name ?? "")
    }

    /// The setting of an entry of a form that is made, or looked at, now or at another moment.
    func setting(of schema: FormSchema, at moment: Moment? = nil) -> EntrySetting {
        setting(schema.info.lists, language: schema.form.defaultLanguage, at: moment)
    }

    /// The same for a form in that language, which chooses from these lists.
    func setting(
        _ lists: RoomLists, language: String?, at moment: Moment? = nil, isInner: Bool = false
    ) -> EntrySetting {
        EntrySetting(
            now: moment ?? now,
            offset: { LocalTime.offset(at: $0.milliseconds) },
            deviceID: own.key.text, username: own.name,
            randomBits: { UInt64.random(in: 0...UInt64.max) },
            list: { name in
                if let entries = ChosenForms.entries(of: name, in: lists) {
                    return EntryChoices(
                        entries, in: lists, isInner ? nil : chosen.chosen(entries, lists, self))
                }
                return lists.list(name).map {
                    RoomChoices($0, in: lists, defaultLanguage: language)
                }
            })
    }
}
