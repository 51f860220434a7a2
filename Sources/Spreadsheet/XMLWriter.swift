/// Appends XML as UTF-8.
package struct XMLWriter: Sendable {
    package private(set) var bytes: [UInt8] = Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8)
    private var open: [String] = []
    private var isTagOpen = false

    package init() {}

    /// Hands out what was written, between elements, and goes on.
    package mutating func take() -> [UInt8] {
        closeTag()
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Begins an element; its attributes in order.
    package mutating func start(_ name: String, _ attributes: [(name: String, value: String)] = [])
    {
        closeTag()
        bytes.append(UInt8(ascii: "<"))
        bytes += name.utf8
        for attribute in attributes {
            bytes.append(UInt8(ascii: " "))
            bytes += attribute.name.utf8
            bytes += "=\"".utf8
            escape(attribute.value, isAttribute: true)
            bytes.append(UInt8(ascii: "\""))
        }
        open.append(name)
        isTagOpen = true
    }

    /// Ends the element that was begun last.
    package mutating func end() {
        guard let name = open.popLast() else { preconditionFailure("no element is open") }
        if isTagOpen { bytes += "/>".utf8 } else { bytes += "</\(name)>".utf8 }
        isTagOpen = false
    }

    /// An element without elements inside.
    package mutating func element(
        _ name: String, _ attributes: [(name: String, value: String)] = [], text: String = ""
    ) {
        start(name, attributes)
        self.text(text)
        end()
    }

    /// Appends text. Characters that XML lacks are left out.
    package mutating func text(_ text: String) {
        guard !text.isEmpty else { return }
        closeTag()
        escape(text, isAttribute: false)
    }

    private mutating func closeTag() {
        if isTagOpen { bytes.append(UInt8(ascii: ">")) }
        isTagOpen = false
    }

    private mutating func escape(_ text: String, isAttribute: Bool) {
        // Most texts have nothing to escape; 0xEF begins the two that XML lacks, among others.
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0xEF && byte != 0x26 && byte != 0x3C && byte != 0x3E
                && byte != 0x22
        }
        if isPlain { return bytes += text.utf8 }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes += "&amp;".utf8
            case "<": bytes += "&lt;".utf8
            case ">": bytes += "&gt;".utf8
            case "\"" where isAttribute: bytes += "&quot;".utf8
            case "\r": bytes += "&#13;".utf8
            case "\n" where isAttribute: bytes += "&#10;".utf8
            case "\t" where isAttribute: bytes += "&#9;".utf8
            case "\n", "\t": bytes.append(UInt8(scalar.value))
            default:
                if XMLWriter.isAllowed(scalar) { bytes += UTF8.encode(scalar) ?? .init() }
            }
        }
    }

    /// Whether XML 1.0 can hold the scalar at all.
    package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
            || scalar == "\n" || scalar == "\t" || scalar == "\r"
    }
}
