/// A value that writes its own text, where an answer has hundreds of its kind: what a compiler makes
/// of `Encodable` says each member through three generic containers. How it is read stays with
/// `Decodable`, and a test holds the two together.
package protocol JSONWritable: Encodable {
    /// Appends the whole value.
    func write(to writer: inout JSONWriter)
}

extension JSONWritable {
    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else { throw notThisCoder(encoder.codingPath) }
        encoder.set(self)
    }
}

extension JSONWriter {
    /// Begins the next member of an object: its value follows. The name stands there as it is.
    package mutating func member(_ name: StaticString) {
        let isFirst = bytes.last == UInt8(ascii: "{")
        name.withUTF8Buffer { name in
            bytes.append(addingCapacity: name.count + 4) { text in
                if !isFirst { text.append(UInt8(ascii: ",")) }
                text.append(UInt8(ascii: "\""))
                for byte in name { text.append(byte) }
                text.append(UInt8(ascii: "\""))
                text.append(UInt8(ascii: ":"))
            }
        }
    }

    /// Appends a member; null where its text is absent.
    package mutating func member(_ name: StaticString, _ value: String?) {
        member(name)
        if let value { text(value) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ value: Bool?) {
        member(name)
        if let value { bool(value) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ value: Int?) {
        member(name)
        if let value { integer(Int64(value)) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ value: JSONValue) {
        member(name)
        self.value(value)
    }

    /// Appends a member that writes itself, or a list of such.
    package mutating func member(_ name: StaticString, _ value: (some JSONWritable)?) {
        member(name)
        if let value { value.write(to: &self) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ values: [some JSONWritable]?) {
        member(name)
        guard let values else { return null() }
        list(values) { $1.write(to: &$0) }
    }

    package mutating func member(_ name: StaticString, _ values: [String]) {
        member(name)
        list(values) { $0.text($1) }
    }

    package mutating func member(_ name: StaticString, _ values: [Int]?) {
        member(name)
        guard let values else { return null() }
        list(values) { $0.integer(Int64($1)) }
    }

    private mutating func list<Value>(
        _ values: [Value], _ write: (inout JSONWriter, Value) -> Void
    ) {
        raw("[")
        for (index, value) in values.enumerated() {
            if index > 0 { raw(",") }
            write(&self, value)
        }
        raw("]")
    }
}
