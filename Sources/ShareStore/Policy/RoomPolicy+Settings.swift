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
        for (key, versions) in Self.setters(in: controls) {
            settings.values[key] = Self.winner(of: versions)
        }
        if let name = settings.values["name"] { settings.name = name }
        if let isOpen = settings.values[Authority.openSetting] { settings.isOpen = isYes(isOpen) }
        settings.isHidden = settings.values[Authority.hiddenSetting].map(isYes) ?? false
        if settings.isHidden { settings.isOpen = false }
        settings.quota = quota
        settings.autopush = settings.values[Authority.autopushSetting].map(isYes) ?? false
        return settings
    }

    /// The accepted operations on a setting that no accepted one replaces: the parents of the next.
    func heads(ofSetting key: String) -> [OperationName] {
        let versions = Self.setters(in: controls)[key, default: []].map(\.version)
        return RecordGraph(versions).headNames(upTo: Limits.parentsPerOperation)
    }

    /// What the winner among the accepted operations on the setting says, if it limits anything.
    static func quota(in controls: [ControlRecord]) -> Quota? {
        let setting = controls.filter { $0.sets(Authority.quotaSetting) }
        return winner(of: setters(in: setting)[Authority.quotaSetting, default: []])
            .flatMap(Quota.init(text:))
    }

    private static func winner(of versions: [(version: RecordVersion, value: String)]) -> String? {
        let winner = RecordGraph(versions.map(\.version)).winner(of: .deleted)
        return versions.first { $0.version.name == winner }?.value
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
    private static func setters(
        in controls: [ControlRecord]
    ) -> [String: [(version: RecordVersion, value: String)]] {
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
