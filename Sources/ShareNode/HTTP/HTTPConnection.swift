internal import CMicrohttpd
internal import Glibc

/// A connection of the library.
// A name only: whoever holds it must know that the library has not closed it yet. The library
// allows resuming from any thread, all else is done on its own thread.
struct HTTPConnection: @unchecked Sendable {
    let raw: OpaquePointer

    var descriptor: Int32 { share_mhd_connection_descriptor(raw) }

    /// Whether the client of a connection that is still open has gone.
    static func hasHungUp(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 1 && Int32(entry.revents) & (POLLHUP | POLLERR) != 0
    }

    func suspend() { MHD_suspend_connection(raw) }
    func resume() { MHD_resume_connection(raw) }

    func setTimeout(_ duration: Duration) {
        _ = share_mhd_set_timeout(raw, UInt32(clamping: duration.components.seconds))
    }

    func fields(_ kind: MHD_ValueKind) -> HTTPFields {
        let list = FieldList()
        MHD_get_connection_values_n(
            raw, kind,
            { context, _, name, nameLength, value, valueLength in
                guard let context else { return .NO }
                let list = Unmanaged<FieldList>.fromOpaque(context).takeUnretainedValue()
                list.pairs.append((bytes(name, nameLength), bytes(value, valueLength)))
                return .YES
            }, Unmanaged.passUnretained(list).toOpaque())
        return HTTPFields(
            list.pairs.map { name, value in
                HTTPFields.Field(
                    String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            })
    }
}

private final class FieldList {
    var pairs: [(name: [UInt8], value: [UInt8])] = []
}

private func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
    guard let start, count > 0 else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
}
