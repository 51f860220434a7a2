import ShareCrypto

extension JoinMessage {
    /// The first item of a message's array; frames of other kinds are no joining messages.
    private enum Kind {
        static let start: UInt64 = 16
        static let reply: UInt64 = 17
        static let proof: UInt64 = 18
        static let welcome: UInt64 = 19
        static let accept: UInt64 = 20
        static let refused: UInt64 = 21
        static let ask: UInt64 = 22
        static let offer: UInt64 = 23
        static let enter: UInt64 = 24
    }

    /// The kinds of frame that are joining messages.
    package static let kinds: ClosedRange<UInt64> = Kind.start...Kind.enter

    /// Whether a frame's body begins as a joining message does: with an array, then its kind.
    static func isBegun(by frame: UnsafeRawBufferPointer) -> Bool {
        guard frame.count > 2, frame[0] >> 5 == 4 else { return false }
        // From 24 on a number takes a byte of its own.
        return kinds.contains(UInt64(frame[1] == 0x18 ? frame[2] : frame[1]))
    }

    /// The body of the frame, in deterministic CBOR.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        func begin(_ kind: UInt64, _ count: Int) {
            writer.array(count)
            writer.write(unsigned: kind)
        }
        switch self {
        case .start(let selector, let share):
            begin(Kind.start, 3)
            writer.write(text: selector.text)
            writer.write(bytes: share.bytes)
        case .reply(let share):
            begin(Kind.reply, 2)
            writer.write(bytes: share.bytes)
        case .proof(let tag):
            begin(Kind.proof, 2)
            writer.write(bytes: tag.bytes)
        case .welcome(let tag, let sealed):
            begin(Kind.welcome, 3)
            writer.write(bytes: tag.bytes)
            writer.write(bytes: sealed)
        case .accept(let sealed):
            begin(Kind.accept, 2)
            writer.write(bytes: sealed)
        case .refused(let refusal):
            begin(Kind.refused, 3)
            writer.write(refusal.code)
            writer.write(refusal.detail)
        case .ask(let wanted):
            begin(Kind.ask, 2)
            writer.write(text: wanted)
        case .offer(let offer):
            begin(Kind.offer, 5)
            writer.write(bytes: offer.welcome.room.bytes)
            writer.write(bytes: offer.welcome.founding)
            writer.write(text: offer.welcome.name)
            writer.write(offer.admits)
        case .enter(let room, let acceptance):
            begin(Kind.enter, 3)
            writer.write(bytes: room.bytes)
            writer.write(bytes: acceptance)
        }
        return writer.bytes
    }

    /// Reads the body of a frame.
    ///
    /// - Throws: `CBORError` if it is not a joining message, whole and in its one encoding.
    package init(encoded: [UInt8]) throws(CBORError) {
        guard encoded.count <= JoinLimits.message else { throw .outOfRange }
        self = try encoded.readCBOR { (reader) throws(CBORError) in
            try JoinMessage(from: &reader)
        }
    }

    private init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readArray(upTo: 5)
        guard count > 0 else { throw .unexpected }
        let kind = try reader.readUnsigned()
        switch (kind, count) {
        case (Kind.start, 3):
            guard let selector = JoinSelector(try reader.readText(upTo: JoinSelector.length)) else {
                throw .outOfRange
            }
            self = .start(selector, try JoinMessage.share(&reader))
        case (Kind.reply, 2): self = .reply(try JoinMessage.share(&reader))
        case (Kind.proof, 2): self = .proof(try JoinMessage.tag(&reader))
        case (Kind.welcome, 3):
            let tag = try JoinMessage.tag(&reader)
            self = .welcome(tag, sealed: try reader.readBytes(upTo: JoinLimits.message))
        case (Kind.accept, 2):
            self = .accept(sealed: try reader.readBytes(upTo: JoinLimits.message))
        case (Kind.refused, 3):
            let code = try reader.readCount(upTo: 255)
            let detail = try reader.readCount(upTo: 255)
            self = .refused(JoinRefusal(code: code, detail: detail))
        case (Kind.ask, 2): self = .ask(try reader.readText(upTo: Limits.roomName))
        case (Kind.offer, 5):
            let room = RoomID(try reader.readDigest())
            let founding = try reader.readBytes(upTo: JoinLimits.foundingBatch)
            let name = try reader.readText(upTo: Limits.roomName)
            self = .offer(
                OpenOffer(
                    room: room, founding: founding, name: name, admits: try reader.readBool()))
        case (Kind.enter, 3):
            let room = RoomID(try reader.readDigest())
            self = .enter(room, acceptance: try reader.readBytes(upTo: JoinLimits.message))
        default: throw .unexpected
        }
    }

    private static func share(_ reader: inout CBORReader) throws(CBORError) -> CPaceShare {
        guard let share = CPaceShare(try reader.readBytes(exactly: Bytes32.count)) else {
            throw .unexpected
        }
        return share
    }

    private static func tag(_ reader: inout CBORReader) throws(CBORError) -> CPaceTag {
        guard let tag = CPaceTag(try reader.readBytes(exactly: CPaceTag.length)) else {
            throw .unexpected
        }
        return tag
    }
}

extension JoinRefusal {
    fileprivate var code: Int {
        switch self {
        case .noInvite: 1
        case .wrongCode: 2
        case .busy: 3
        case .tooMany: 4
        case .ownKey: 5
        case .violation: 6
        case .unavailable: 7
        case .late: 8
        case .notOpen: 9
        case .removed: 10
        case .notAllowed: 11
        }
    }

    fileprivate var detail: Int {
        switch self {
        case .wrongCode(let attemptsLeft): attemptsLeft
        case .tooMany(let seconds): seconds
        default: 0
        }
    }

    /// A reason that this release does not know reads as `unavailable`.
    fileprivate init(code: Int, detail: Int) {
        self =
            switch code {
            case 1: .noInvite
            case 2: .wrongCode(attemptsLeft: detail)
            case 3: .busy
            case 4: .tooMany(seconds: detail)
            case 5: .ownKey
            case 6: .violation
            case 8: .late
            case 9: .notOpen
            case 10: .removed
            case 11: .notAllowed
            default: .unavailable
            }
    }
}
