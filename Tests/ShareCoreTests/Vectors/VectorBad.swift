import ShareCrypto

@testable import ShareCore

/// Bytes that must be refused, in the founder's log of the vectors' room.
struct VectorBad {
    let room: VectorRoom
    private let founder = VectorRoom.Writer.founder.identity

    private func envelope(_ body: [UInt8]) -> RawEnvelope {
        RawEnvelope(
            room: room["founding"].room, kind: .records, number: 2,
            previous: room["values"].id, body: body)
    }

    /// A body of one block of puts, made item by item.
    private func puts(
        count: Int = 1, rows: Int = 1, references: [[UInt8]]? = nil, keys: [[UInt8]] = [],
        form: (Int, Int) = (1, 0),
        fields: [Int] = [1], _ row: (inout CBORWriter) -> Void
    ) -> [UInt8] {
        var writer = CBORWriter()
        writer.array(1)
        writer.array(7)
        writer.write(32)
        writer.write(count)
        let references = references ?? [room["form-1"].id.bytes]
        writer.array(references.count)
        for reference in references { writer.write(bytes: reference) }
        writer.array(keys.count)
        for key in keys { writer.write(bytes: key) }
        writer.array(2)
        writer.write(form.0)
        writer.write(form.1)
        writer.array(fields.count)
        for field in fields { writer.write(field) }
        writer.array(rows)
        for _ in 0..<rows { row(&writer) }
        return writer.bytes
    }

    private func row(
        _ writer: inout CBORWriter, delta: Int64 = 0, _ values: (inout CBORWriter) -> Void
    ) {
        writer.array(3)
        writer.write(bytes: [UInt8](repeating: 7, count: 16))
        writer.write(integer: delta)
        values(&writer)
    }

    /// A body of one delete.
    private func delete(wall: Int64) -> [UInt8] {
        let id = RecordID(high: 1, low: 1)
        return BodyEncoder.encode(
            [
                .records(
                    RecordsBlock(
                        kind: .delete, firstIndex: 0, form: room.name("form-1", 0), fields: [],
                        creators: [founder.key],
                        rows: [.init(id: id, clock: TestBatches.clock, creator: 0, parents: 0..<0)],
                        parents: [], cells: [], storage: []))
            ], author: founder.key, clock: TestBatches.clock
        ).replacingLast(1, with: wall)
    }

    private func value(_ encoded: [UInt8]) -> [UInt8] {
        puts { row(&$0) { $0.append(encoded) } }
    }

    /// What would be sound, so that each of the others has one fault.
    var sound: [UInt8] { envelope(value([1])).sealed(by: founder) }

    var malformedBodies: [(why: String, bytes: [UInt8])] {
        let id = room["form-1"].id.bytes
        let key = VectorRoom.Writer.viewer.key.bytes
        let one: (inout CBORWriter) -> Void = { row(&$0) { $0.write(1) } }
        let bodies: [(String, [UInt8])] = [
            (
                "an integer beyond 64 bits with sign",
                value([0x1b] + [UInt8](repeating: 255, count: 8))
            ),
            ("an integer that is not in its shortest form", value([0x18, 1])),
            ("a float that is wider than it needs to be", value([0xfa, 0x3f, 0xc0, 0, 0])),
            ("another NaN", value([0xf9, 0x7e, 1])),
            ("a boolean for a value", value([0xf5])),
            ("a byte string for a value", value([0x41, 0])),
            ("a tag", value([0xc1, 1])),
            ("undefined", value([0xf7])),
            ("text that is not UTF-8", value([0x62, 0xc0, 0x80])),
            ("text of indefinite length", value([0x7f, 0x61, 0x61, 0xff])),
            ("one value too many", value([1, 1])),
            ("a count that is not the rows'", puts(count: 2, one)),
            ("seventeen operations on one record", puts(count: 17, rows: 17, one)),
            ("fields that do not ascend", puts(fields: [1, 1], one)),
            ("a reference listed twice", puts(references: [id, id], one)),
            ("a key listed twice", puts(keys: [key, key], one)),
            ("the author among the keys", puts(keys: [founder.key.bytes], one)),
            ("a reference that is not listed", puts(form: (2, 0), one)),
            ("a form in the batch itself", puts(form: (0, 0), one)),
            ("an index beyond any batch", puts(form: (1, 4_096), one)),
            ("a clock before the first moment", puts { row(&$0, delta: .min) { $0.write(1) } }),
            ("a clock after the last moment", puts { row(&$0, delta: 1 << 60) { $0.write(1) } }),
            ("a wall clock before 1970", delete(wall: -1_700_000_000_001)),
            ("a wall clock after the last moment", delete(wall: 5_558_118_400_001)),
            ("a wall clock beyond 64 bits", delete(wall: .max)),
            ("no block", [0x80]),
            ("a block without operations", [0x81, 0x82, 0x18, 65, 0]),
            ("an unknown block with a tag", [0x81, 0x83, 0x18, 65, 1, 0xc1, 1]),
            (
                "an unknown block with keys out of order",
                [0x81, 0x83, 0x18, 65, 1, 0xa2, 2, 1, 1, 1]
            ),
            (
                "an unknown block nine deep",
                [0x81, 0x83, 0x18, 65, 1] + [UInt8](repeating: 0x81, count: 8) + [0]
            ),
        ]
        var made = bodies.map { ($0.0, envelope($0.1).sealed(by: founder)) }
        let body = value([1])
        var other = envelope(body)
        other.rawLength = UInt64(body.count) + 1
        made.append(("a length that is not the body's", other.sealed(by: founder)))
        var frame = RawEnvelope.store(body)
        frame[4] |= 0b1000
        other = envelope(body)
        other.frame = frame
        made.append(("a reserved bit in the frame", other.sealed(by: founder)))
        other.frame = RawEnvelope.store(body) + [0]
        made.append(("a byte after the frame", other.sealed(by: founder)))
        other.frame = body
        made.append(("a body that is not compressed", other.sealed(by: founder)))
        made += control
        return made.map { (why: $0.0, bytes: $0.1) }
    }

    /// In the control log.
    private var control: [(String, [UInt8])] {
        let clock = TestBatches.clock
        func body(_ operations: [ControlOperation]) -> RawEnvelope {
            let entries = operations.map { ControlBlock.Entry(clock: clock, operation: $0) }
            return RawEnvelope(
                room: room["founding"].room, kind: .control, number: 2,
                previous: room["founding"].id,
                body: BodyEncoder.encode(
                    [.control(ControlBlock(firstIndex: 0, entries: entries))],
                    author: founder.key, clock: clock))
        }
        /// A grant of a role within a scope that no receiver takes.
        func granting(_ role: Role, _ scope: Scope) -> [UInt8] {
            let grant = Grant(
                subject: VectorRoom.Writer.viewer.key, role: role, scope: scope, firstControl: 1,
                firstRecords: 1, supersedes: [])
            return body([.grant(grant)]).sealed(by: founder)
        }
        func condition(_ values: String...) -> Scope {
            Scope(forms: [
                .init(id: "visit", conditions: [.init(field: "name", values: values)])
            ])
        }
        let setting = ControlOperation.set(Setting(key: "name", value: "x", parents: []))
        let spaces = String(repeating: " ", count: 1_000)
        var great = body(
            Array(
                repeating: .set(Setting(key: "name", value: spaces, parents: [])), count: 20))
        great.frame = Zstd.compress(great.body)
        var founding = body([
            .found(
                Founding(
                    name: "x", nonce: [UInt8](0..<16), isOpen: false, recovery: founder.key))
        ])
        (founding.room, founding.number, founding.previous) = (.unfounded, 1, BatchID(.zero))
        return [
            (
                "sixty-five control operations",
                body(Array(repeating: setting, count: 65)).sealed(by: founder)
            ),
            ("a control body of more than sixteen times its batch", great.sealed(by: founder)),
            ("a scope of an editor", granting(.editor, Scope(forms: [.init(id: "visit")]))),
            ("a scope without a form", granting(.collector, Scope(forms: []))),
            (
                "a form twice in a scope",
                granting(.collector, Scope(forms: [.init(id: "visit"), .init(id: "visit")]))
            ),
            ("a condition without a value", granting(.collector, condition())),
            ("a value twice in a condition", granting(.collector, condition("a", "a"))),
            ("a founder that is the recovery key", founding.sealed(by: founder)),
        ]
    }

    var notBatches: [(why: String, bytes: [UInt8])] {
        let sound = sound
        let start = 3 + 69
        var made: [(why: String, bytes: [UInt8])] = [
            ("nothing", []), ("a byte after the end", sound + [0]),
            ("the tag in two bytes", [0xd8, 18] + sound.dropFirst()),
            ("no tag", Array(sound.dropFirst())),
            ("cut off", Array(sound.dropLast())),
            (
                "an unprotected header",
                Array(sound[..<(start + 1)]) + [0xa1, 0, 0] + sound[(start + 2)...]
            ),
            ("another signature", Array(sound.dropLast()) + [(sound.last ?? 0) ^ 1]),
            ("another author", Array(sound[..<start]) + [sound[start] ^ 1] + sound[(start + 1)...]),
        ]
        func add(_ why: String, _ change: (inout RawEnvelope) -> Void) {
            var other = envelope(value([1]))
            change(&other)
            made.append((why: why, bytes: other.sealed(by: founder)))
        }
        add("another version") { $0.version = 2 }
        add("number 0") { $0.number = 0 }
        add("a number beyond 2^53") { $0.number = (1 << 53) + 1 }
        add("a previous batch of zeros") { $0.previous = BatchID(.zero) }
        add("a first batch that does not name the room") { $0.number = 1 }
        add("a clock after the last moment") { $0.clock = Timestamp.latest.rawValue + 1 }
        add("a wall clock before 1970") { $0.wall = -1_700_000_000_001 }
        add("a wall clock after the last moment") { $0.wall = 5_558_118_400_001 }
        add("a wall clock beyond 64 bits") { $0.wall = .min }
        add("a founding in a records log") {
            ($0.room, $0.number, $0.previous) = (.unfounded, 1, BatchID(.zero))
        }
        add("a founding of number 2") { ($0.room, $0.kind) = (.unfounded, .control) }
        return made
    }
}

extension [UInt8] {
    /// The same with an integer for the last bytes.
    fileprivate func replacingLast(_ count: Int, with value: Int64) -> [UInt8] {
        var writer = CBORWriter()
        writer.append(dropLast(count))
        writer.write(integer: value)
        return writer.bytes
    }
}
