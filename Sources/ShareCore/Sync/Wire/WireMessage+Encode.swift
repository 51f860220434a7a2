import ShareCrypto

/// The number that each message begins with.
enum WireKind: UInt64 {
    case hello = 0
    case have = 1
    case announce = 2
    case want = 3
    case batch = 4
    case end = 5
    case acknowledge = 6
    case state = 7
    case addresses = 8
    case ping = 9
    case pong = 10
    case proofs = 11
    case names = 12
}

extension WireMessage {
    /// The frame's body.
    package func encoded() -> [UInt8] {
        var writer = CBORWriter(reserving: 256)
        switch self {
        case .hello(let hello):
            writer.begin(.hello, 5)
            writer.write(unsigned: hello.version)
            writer.write(text: hello.name)
            writer.write(unsigned: hello.wall)
            writer.write(unsigned: hello.instance)
            writer.array(hello.proofs.count)
            for proof in hello.proofs { writer.write(bytes: proof.bytes) }
        case .otherHello(let version):
            writer.begin(.hello, 1)
            writer.write(unsigned: version)
        case .have(let room, let logs, let pending):
            writer.begin(.have, 3)
            writer.write(bytes: room.bytes)
            writer.array(logs.count)
            for (log, state) in logs.sorted(by: { $0.key < $1.key }) {
                writer.array(5)
                writer.write(log)
                writer.write(state.heads)
                writer.write(optional: state.all)
                writer.write(unsigned: state.operations)
            }
            writer.write(unsigned: pending)
        case .announce(let room, let log, let head, let operations):
            writer.begin(.announce, 6)
            writer.write(bytes: room.bytes)
            writer.write(log)
            writer.write(unsigned: head.number)
            writer.write(bytes: head.batch.bytes)
            writer.write(unsigned: operations)
        case .want(let room, let log, let after):
            writer.begin(.want, 4)
            writer.write(bytes: room.bytes)
            writer.write(log)
            writer.write(after)
        case .batch(let batch):
            writer.begin(.batch, 1)
            writer.write(bytes: batch.slice)
        case .end(let room, let log, let isLost):
            writer.begin(.end, 4)
            writer.write(bytes: room.bytes)
            writer.write(log)
            writer.write(isLost)
        case .acknowledge(let room, let list):
            writer.begin(.acknowledge, 2)
            writer.write(bytes: room.bytes)
            writer.array(list.count)
            for entry in list {
                writer.array(8)
                writer.write(entry.log)
                writer.write(unsigned: entry.head.number)
                writer.write(bytes: entry.head.batch.bytes)
                writer.write(unsigned: entry.storing.rawValue)
                writer.write(unsigned: entry.accepted)
                writer.write(unsigned: entry.waiting)
                writer.write(unsigned: entry.refused)
            }
        case .state(let room, let summary):
            writer.begin(.state, 4)
            writer.write(bytes: room.bytes)
            writer.write(unsigned: summary.level)
            writer.write(bytes: summary.vector.bytes)
            writer.write(optional: summary.digest)
        case .addresses(let room, let map):
            writer.begin(.addresses, 2)
            writer.write(bytes: room.bytes)
            writer.array(map.count)
            for (key, addresses) in map.sorted(by: { $0.key < $1.key }) {
                writer.array(2)
                writer.write(bytes: key.bytes)
                writer.array(addresses.count)
                for address in addresses { writer.write(text: address) }
            }
        case .proofs(let proofs):
            writer.begin(.proofs, 1)
            writer.array(proofs.count)
            for proof in proofs { writer.write(bytes: proof.bytes) }
        case .names(let room, let release, let names):
            writer.begin(.names, 3)
            writer.write(bytes: room.bytes)
            writer.write(text: release)
            writer.array(names.count)
            for (key, name) in names.sorted(by: { $0.key < $1.key }) {
                writer.array(2)
                writer.write(bytes: key.bytes)
                writer.write(text: name)
            }
        case .ping: writer.begin(.ping, 0)
        case .pong: writer.begin(.pong, 0)
        case .join(let message): return message.encoded
        }
        return writer.bytes
    }
}

extension CBORWriter {
    fileprivate mutating func begin(_ kind: WireKind, _ count: Int) {
        array(count + 1)
        write(unsigned: kind.rawValue)
    }

    fileprivate mutating func write(optional digest: Digest?) {
        if let digest {
            write(bytes: digest.bytes)
        } else {
            writeNull()
        }
    }

    /// A log's name as two items.
    fileprivate mutating func write(_ log: LogName) {
        write(bytes: log.author.bytes)
        write(unsigned: UInt64(log.kind.rawValue))
    }
}
