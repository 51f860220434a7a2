import ShareCore
import ShareCrypto

/// What the control logs say of the room beside members and forms.
extension RoomWriter {
    func settings() -> RoomSettings {
        var settings = RoomSettings(name: "", isOpen: false, values: [:])
        var setters: [String: [(version: RecordVersion, value: String)]] = [:]
        for record in state.controls {
            for (index, entry) in record.entries {
                let name = record.name(index)
                guard state.judgement.refusal(of: name) == nil else { continue }
                switch entry.operation {
                case .found(let founding):
                    settings.name = founding.name
                    settings.isOpen = founding.isOpen
                case .set(let setting):
                    setters[setting.key, default: []].append(
                        (
                            RecordVersion(
                                name: name, author: record.author, clock: entry.clock,
                                bases: setting.bases, writes: [.deleted]), setting.value
                        ))
                default: continue
                }
            }
        }
        for (key, versions) in setters {
            let winner = RecordGraph(versions.map(\.version)).winners[.deleted]
            settings.values[key] = versions.first { $0.version.name == winner }?.value
        }
        if let name = settings.values["name"] { settings.name = name }
        if let isOpen = settings.values[Authority.openSetting] {
            settings.isOpen = isOpen == "true" || isOpen == "on" || isOpen == "1"
        }
        return settings
    }

    /// All definitions that are held.
    func definitions() -> [OperationName: FormDefinition] {
        state.catalog.definitions.mapValues(\.form)
    }

    /// The accepted definitions of a form that no accepted one replaces.
    func heads(of formID: String) -> [OperationName] {
        let definitions = state.catalog.definitions.values.filter {
            $0.isAccepted && $0.form.formID == formID
        }
        return RecordGraph(
            definitions.map {
                RecordVersion(
                    name: $0.name, author: $0.author, clock: $0.clock, bases: $0.form.bases,
                    writes: [])
            }
        ).heads
    }
}
