import ShareCore
import ShareCrypto

/// The room's settings, as the control logs give them.
extension RoomPolicy {

    static func settings(in controls: [ControlRecord]) -> RoomSettings {
        var settings = RoomSettings(name: "", isOpen: false, isHidden: false, values: [:])
        if let founding = founding(in: controls) {
            settings.name = founding.name
            settings.isOpen = founding.isOpen
        }
        for (key, versions) in setters(in: controls) {
            settings.values[key] = winner(of: versions)
        }
        if let name = settings.values["name"] { settings.name = name }
        if let isOpen = settings.values[Authority.openSetting] { settings.isOpen = isYes(isOpen) }
        settings.isHidden = settings.values[Authority.hiddenSetting].map(isYes) ?? false
        if settings.isHidden { settings.isOpen = false }
        settings.quota = settings.values[Authority.quotaSetting].flatMap(Quota.init(text:))
        settings.autopush = settings.values[Authority.autopushSetting].map(isYes) ?? false
        return settings
    }

    /// The accepted operations on a setting that no accepted one replaces: the parents of the next.
    func heads(ofSetting key: String) -> [OperationName] {
        let versions = Self.setters(in: controls)[key, default: []].map(\.version)
        return RecordGraph(versions).headNames(upTo: Limits.parentsPerOperation)
    }

    private static func winner(of versions: [(version: RecordVersion, value: String)]) -> String? {
        let winner = RecordGraph(versions.map(\.version)).winner(of: .deleted)
        return versions.first { $0.version.name == winner }?.value
    }

    private static func isYes(_ value: String) -> Bool {
        value == "true" || value == "on" || value == "1"
    }

    private static func founding(in controls: [ControlRecord]) -> Founding? {
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

    /// The batches that define forms, by each definition: the log and the number in it.
    func formPlaces() -> [OperationName: (log: LogName, number: UInt64)] {
        var places: [OperationName: (log: LogName, number: UInt64)] = [:]
        for record in controls where record.definesForms {
            let log = LogName(author: record.author, kind: .control)
            for item in record.outline.items {
                places[record.name(item.index)] = (log, record.head.number)
            }
        }
        return places
    }
}
