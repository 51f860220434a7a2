import ShareCore
import ShareCrypto

/// The room's settings, as the control logs give them.
extension RoomPolicy {

    func settings() -> RoomSettings {
        var settings = RoomSettings(name: "", isOpen: false, isHidden: false, values: [:])
        if let founding {
            settings.name = founding.name
            settings.isOpen = founding.isOpen
        }
        for (key, versions) in setters() {
            let winner = RecordGraph(versions.map(\.version)).winner(of: .deleted)
            settings.values[key] = versions.first { $0.version.name == winner }?.value
        }
        if let name = settings.values["name"] { settings.name = name }
        if let isOpen = settings.values[Authority.openSetting] { settings.isOpen = isYes(isOpen) }
        settings.isHidden = settings.values[Authority.hiddenSetting].map(isYes) ?? false
        if settings.isHidden { settings.isOpen = false }
        settings.autopush = settings.values[Authority.autopushSetting].map(isYes) ?? false
        return settings
    }

    /// The accepted operations on a setting that no accepted one replaces: the parents of the next.
    func heads(ofSetting key: String) -> [OperationName] {
        let versions = setters()[key, default: []].map(\.version)
        return RecordGraph(versions).headNames(upTo: Limits.parentsPerOperation)
    }

    private func isYes(_ value: String) -> Bool { value == "true" || value == "on" || value == "1" }

    private var founding: Founding? {
        for record in controls where record.accepts(.found) {
            for (index, entry) in record.entries {
                if case .found(let founding) = entry.operation,
                    record.verdict(at: index) == .accepted
                {
                    return founding
                }
            }
        }
        return nil
    }

    /// Every accepted operation on each setting.
    private func setters() -> [String: [(version: RecordVersion, value: String)]] {
        var setters: [String: [(version: RecordVersion, value: String)]] = [:]
        for record in controls
        where record.accepts(.set) || record.accepts(.ownersSetting) {
            for (index, entry) in record.entries {
                guard case .set(let setting) = entry.operation,
                    record.verdict(at: index) == .accepted
                else { continue }
                let version = RecordVersion(
                    name: record.name(index), author: record.author, clock: entry.clock,
                    parents: setting.parents,
                    writes: [.deleted])
                setters[setting.key, default: []].append((version, setting.value))
            }
        }
        return setters
    }

}
