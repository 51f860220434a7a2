internal import CExpat

/// Receives the events of an XML document in order.
package protocol XMLHandler: AnyObject {
    /// An element begins; `name` is without its prefix.
    func start(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError)
    func end(_ name: String) throws(SpreadsheetError)
    /// A piece of text, UTF-8; a text may come in several.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(SpreadsheetError)
}

/// The attributes of an element, valid during the call that lends them.
package struct XMLAttributes {
    private let pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    init(_ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?) { self.pairs = pairs }

    /// The value of an attribute by its name without prefix.
    package subscript(name: String) -> String? {
        guard let pairs else { return nil }
        var index = 0
        while let key = pairs[index], let value = pairs[index + 1] {
            if XMLParser.local(key) == name { return String(cString: value) }
            index += 2
        }
        return nil
    }
}

/// Reads one XML document in pieces over expat; a document type is refused, so that no entity but
/// the five of XML itself can occur.
package final class XMLParser {
    private let part: String
    private let parser: OpaquePointer
    private let handler: any XMLHandler
    private var depth = 0
    private var failure: SpreadsheetError?

    /// A parser that names the document `part` in its errors.
    package init(part: String, handler: any XMLHandler) {
        guard let parser = XML_ParserCreate(nil) else { fatalError("out of memory") }
        self.part = part
        self.parser = parser
        self.handler = handler
        // No reference is kept beyond the parser, which `deinit` frees.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in
                XMLParser.from(context)?.began(name, attributes)
            },
            { context, name in XMLParser.from(context)?.ended(name) })
        XML_SetCharacterDataHandler(parser) { context, bytes, count in
            XMLParser.from(context)?.read(bytes, count)
        }
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            guard let parser = XMLParser.from(context) else { return }
            parser.stop(.documentType(part: parser.part))
        }
    }

    deinit { XML_ParserFree(parser) }

    /// Reads the next piece.
    ///
    /// - Throws: `damaged`, `documentType`, `tooLarge`, or what the handler throws.
    package func parse(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool = false
    ) throws(SpreadsheetError) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let status = XML_Parse(parser, start, Int32(bytes.count), isLast ? 1 : 0)
        if let failure { throw failure }
        guard status == XML_STATUS_OK else {
            let code = XML_GetErrorCode(parser)
            let text = XML_ErrorString(code).map { String(cString: $0) } ?? "not XML"
            throw .damaged(
                part: part, reason: "line \(XML_GetCurrentLineNumber(parser)): \(text)")
        }
    }

    /// Reads the end of the document.
    package func finish() throws(SpreadsheetError) {
        try parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    }

    private func began(
        _ name: UnsafePointer<CChar>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard failure == nil, let name else { return }
        depth += 1
        guard depth <= SpreadsheetLimits.depth else {
            return stop(.tooLarge(what: "levels of \(part)", limit: SpreadsheetLimits.depth))
        }
        do {
            try handler.start(XMLParser.local(name), XMLAttributes(attributes))
        } catch { stop(error) }
    }

    private func ended(_ name: UnsafePointer<CChar>?) {
        guard failure == nil, let name else { return }
        depth -= 1
        do { try handler.end(XMLParser.local(name)) } catch { stop(error) }
    }

    private func read(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
        guard failure == nil, let bytes else { return }
        let text = UnsafeRawBufferPointer(start: bytes, count: Int(count))
        do { try handler.text(text.bindMemory(to: UInt8.self)) } catch { stop(error) }
    }

    private func stop(_ error: SpreadsheetError) {
        failure = error
        XML_StopParser(parser, 0)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> XMLParser? {
        context.map { Unmanaged<XMLParser>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A name without its prefix.
    static func local(_ name: UnsafePointer<CChar>) -> String {
        var start = name
        var next = name
        while next.pointee != 0 {
            if next.pointee == 0x3A { start = next + 1 }
            next += 1
        }
        return String(cString: start)
    }
}
