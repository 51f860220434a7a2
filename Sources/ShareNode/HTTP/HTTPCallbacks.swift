internal import CMicrohttpd
internal import Glibc

/// The C functions that the library calls, all on its own thread.
enum HTTPCallbacks {
    static let access: MHD_AccessHandlerCallback = {
        context, raw, url, method, _, bytes, count, slot in
        guard let context, let raw, let url, let method, let count, let slot else { return .NO }
        let core = Unmanaged<HTTPServerCore>.fromOpaque(context).takeUnretainedValue()
        let connection = HTTPConnection(raw: raw)
        guard let known = slot.pointee else {
            core.note(connection, waitsSince: nil)
            guard
                let exchange = core.begin(
                    connection, method: String(cString: method), path: String(cString: url))
            else { return .NO }
            // Released in `completed`.
            slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
            return HTTPCallbacks.begun(exchange, connection, core)
        }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
        let step: HTTPExchange.Step
        if count.pointee > 0 {
            step = exchange.receive(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
            count.pointee = 0
        } else {
            step = exchange.finishRequest()
        }
        switch step {
        case .carryOn: return .YES
        case .close: return .NO
        case .answer(let response, let download):
            return HTTPCallbacks.queue(response, download, exchange, connection, core)
        }
    }

    /// The headers are here; a body may follow.
    private static func begun(
        _ exchange: HTTPExchange, _ connection: HTTPConnection, _ core: HTTPServerCore
    ) -> MHD_Result {
        // A client that asks first need not send a body that is refused.
        let asks = connection.fields(.HEADER_KIND)["Expect"] != nil
        if asks, case .answer(let response, let download)? = exchange.refusalAnswer {
            return queue(response, download, exchange, connection, core)
        }
        if exchange.route?.body == .streamed { exchange.start() }
        return .YES
    }

    private static func queue(
        _ response: HTTPResponse, _ download: BytePipe?, _ exchange: HTTPExchange,
        _ connection: HTTPConnection, _ core: HTTPServerCore
    ) -> MHD_Result {
        guard let raw = make(response, download, exchange) else { return .NO }
        defer { MHD_destroy_response(raw) }
        MHD_add_response_header(raw, "Content-Type", response.contentType)
        for header in core.commonHeaders + response.headers {
            MHD_add_response_header(raw, header.name, header.value)
        }
        if download != nil, exchange.route?.isWatch != true {
            connection.setTimeout(core.limits.streamSilence)
        }
        return MHD_queue_response(connection.raw, UInt32(clamping: response.status), raw)
    }

    private static func make(
        _ response: HTTPResponse, _ download: BytePipe?, _ exchange: HTTPExchange
    ) -> OpaquePointer? {
        switch response.body {
        case .bytes(var bytes):
            return bytes.withUnsafeMutableBytes { buffer in
                MHD_create_response_from_buffer(
                    buffer.count, buffer.baseAddress, .RESPMEM_MUST_COPY)
            }
        case .stream:
            // Released by the library with the response.
            let context = Unmanaged.passRetained(exchange)
            let raw = MHD_create_response_from_callback(
                UInt64.max, blockSize, fill, context.toOpaque(), release)
            if raw == nil { context.release() }
            return raw
        }
    }

    private static let blockSize = 1 << 15

    private static let fill: MHD_ContentReaderCallback = { context, _, target, room in
        guard let context, let target else { return -2 }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
        return exchange.fill(UnsafeMutableRawBufferPointer(start: target, count: room))
    }

    private static let release: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<HTTPExchange>.fromOpaque(context).release()
    }

    static let completed: MHD_RequestCompletedCallback = { context, raw, slot, _ in
        guard let context, let raw, let slot, let known = slot.pointee else { return }
        slot.pointee = nil
        let core = Unmanaged<HTTPServerCore>.fromOpaque(context).takeUnretainedValue()
        core.note(HTTPConnection(raw: raw), waitsSince: .now)
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue()
        exchange.complete()
    }

    static let connection: MHD_NotifyConnectionCallback = { context, raw, _, event in
        guard let context, let raw else { return }
        let core = Unmanaged<HTTPServerCore>.fromOpaque(context).takeUnretainedValue()
        if event == .CONNECTION_NOTIFY_STARTED {
            core.opened(HTTPConnection(raw: raw))
        } else {
            core.closed(HTTPConnection(raw: raw))
        }
    }
}

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
