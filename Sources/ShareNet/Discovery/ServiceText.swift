internal import ShareCore
package import ShareCrypto

/// The TXT record of an advertisement (docs/protocol/discovery.md): everyone on the Wi-Fi reads
/// it, and anyone can write one.
package struct ServiceText: Hashable, Sendable {
    package let protocolVersion: Int
    package let device: DeviceKey
    package let rooms: [AdvertisedRoom]

    /// The version of the record's own layout.
    static let layout = "1"
    /// The protocol version that this program speaks.
    static let currentProtocol = 1
    /// The longest `key=value`, in bytes (RFC 6763 §6.1).
    static let longestEntry = 255
    /// The longest record that we write, in bytes, so that it fits in one packet with the rest.
    static let longestWritten = 400
    /// The longest record that we read, in bytes: what fits in one Ethernet frame.
    static let longestRead = 1_300
    /// The most rooms that are read from one record.
    static let mostRooms = 32

    package init(
        protocolVersion: Int = ServiceText.currentProtocol, device: DeviceKey,
        rooms: [AdvertisedRoom]
    ) {
        self.protocolVersion = protocolVersion
        self.device = device
        self.rooms = rooms
    }
}

extension ServiceText {
    /// The record's bytes, at most 400; rooms that do not fit are left out, from the last.
    package var bytes: [UInt8] {
        var record: [UInt8] = []
        func entry(_ key: String, _ value: String) -> [UInt8]? {
            let text = Array("\(key)=\(value)".utf8)
            guard text.count <= ServiceText.longestEntry else { return nil }
            return [UInt8(text.count)] + text
        }
        record += entry("txtvers", ServiceText.layout) ?? []
        record += entry("pv", String(protocolVersion)) ?? []
        record += entry("id", Base32.encode(device.bytes)) ?? []
        var number = 1
        var openRooms: [Int] = []
        func openEntry(_ numbers: [Int]) -> [UInt8] {
            if numbers.isEmpty { return [] }
            return entry("open", numbers.map(String.init).joined(separator: ",")) ?? []
        }
        for room in rooms where number <= ServiceText.mostRooms {
            let open = room.isOpen ? openRooms + [number] : openRooms
            guard let next = entry("r\(number)", "\(room.name)|\(room.shortID)"),
                record.count + next.count + openEntry(open).count <= ServiceText.longestWritten
            else { continue }
            record += next
            openRooms = open
            number += 1
        }
        return record + openEntry(openRooms)
    }

    /// Reads a record that a stranger may have written; nil where it is not one of ours.
    /// Unknown keys are passed over, of equal keys the first counts, and a room that could not
    /// have been written by us is left out.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= ServiceText.longestRead else { return nil }
        var values: [String: String] = [:]
        var rest = bytes[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length) else { return nil }
            let entry = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            guard let split = entry.firstIndex(of: UInt8(ascii: "=")),
                let key = String(validating: entry[..<split], as: UTF8.self)?.lowercased(),
                ServiceText.isKnown(key), values[key] == nil,
                let value = String(
                    validating: entry[entry.index(after: split)...], as: UTF8.self)
            else { continue }
            values[key] = value
        }
        guard values["txtvers"] == ServiceText.layout, let pv = values["pv"],
            pv.utf8.count <= 5, let protocolVersion = Int(pv), protocolVersion > 0,
            let id = values["id"], id.utf8.count == 52, let device = DeviceKey(text: id)
        else { return nil }
        let open = Set((values["open"] ?? "").split(separator: ","))
        let rooms = (1...ServiceText.mostRooms).compactMap { number in
            values["r\(number)"].flatMap {
                ServiceText.room($0, isOpen: open.contains("\(number)"))
            }
        }
        self.init(protocolVersion: protocolVersion, device: device, rooms: rooms)
    }

    private static func isKnown(_ key: String) -> Bool {
        if ["txtvers", "pv", "id", "open"].contains(key) { return true }
        guard key.utf8.first == UInt8(ascii: "r"), key.utf8.count <= 3,
            let number = Int(key.dropFirst())
        else { return false }
        return (1...mostRooms).contains(number)
    }

    /// `name|shortid`; the name may contain `|`, the short id cannot.
    private static func room(_ value: String, isOpen: Bool) -> AdvertisedRoom? {
        guard let bar = value.utf8.lastIndex(of: UInt8(ascii: "|")) else { return nil }
        let shortID = value[value.utf8.index(after: bar)...]
        return AdvertisedRoom(name: String(value[..<bar]), shortID: String(shortID), isOpen: isOpen)
    }
}
