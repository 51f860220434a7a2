import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit

/// `Tests/Vectors/batches.json`: batches as bytes, beside what is in them.
struct VectorFile: Codable {
    var keys: [Key]
    /// A small room, each batch after those that it needs.
    var batches: [Entry]
    /// Right envelopes around bodies that are malformed.
    var malformedBodies: [Bad]
    /// Bytes that are not a batch.
    var notBatches: [Bad]

    struct Key: Codable {
        var name: String
        var seed: String
        var key: String
    }

    struct Bad: Codable {
        var why: String
        var bytes: String
    }

    struct Entry: Codable {
        var name: String
        var bytes: String
        var id: String
        var room: String
        var author: String
        var log: String
        var number: UInt64
        var previous: String
        /// In text, as many readers of JSON keep 53 bits of a number.
        var clock: String
        /// Milliseconds since 1970.
        var wall: UInt64
        /// The body before compression; none where it does not unpack.
        var body: String?
        /// None for a malformed body.
        var blocks: [Block]?
    }

    struct Block: Codable {
        var kind: UInt64
        /// `control`, `records`, `unknown` or `misplaced`.
        var reading: String
        var firstIndex: Int
        var count: Int
        var form: Name?
        var fields: [Int]?
        var rows: [Row]?
        var operations: [Operation]?
    }

    struct Name: Codable {
        var batch: String
        var index: Int
    }

    struct Row: Codable {
        var id: String
        var creator: String
        var clock: String
        var wall: UInt64
        var parents: [Name]
        var values: [Value?]
    }

    /// One of the three.
    struct Value: Codable {
        var integer: String?
        /// The 64 bits of the number, in hexadecimal.
        var decimal: String?
        var text: String?
    }

    struct Head: Codable {
        var number: UInt64
        var batch: String
    }

    /// The members that an operation's kind has.
    struct Operation: Codable {
        var clock: String
        var wall: UInt64
        var name: String?
        var nonce: String?
        var open: Bool?
        var recovery: String?
        var key: String?
        var value: String?
        var formID: String?
        var version: String?
        var parents: [Name]?
        var fields: [Field]?
        var json: String?
        var columns: [String]?
        var parts: [Name]?
        var width: Int?
        var cells: [String]?
        var subject: String?
        var role: UInt8?
        var scope: [ScopeForm]?
        var firstControl: UInt64?
        var firstRecords: UInt64?
        var control: [Head]?
        var records: [Head]?
        var supersedes: [Name]?
        var reason: String?
    }

    struct ScopeForm: Codable {
        struct Condition: Codable {
            var field: String
            var values: [String]
        }

        var form: String
        var conditions: [Condition]

        static func list(_ scope: Scope?) -> [ScopeForm]? {
            scope?.forms.map { form in
                ScopeForm(
                    form: form.id,
                    conditions: form.conditions.map {
                        Condition(field: $0.field, values: $0.values)
                    })
            }
        }
    }

    struct Field: Codable {
        var name: String
        var type: UInt8
    }

    static let url = Repository.url("Tests/Vectors/batches.json")

    static var isWritten: Bool {
        ProcessInfo.processInfo.environment["SHARED_WRITE_VECTORS"] != nil
    }

    static func read() throws -> VectorFile {
        try JSONDecoder().decode(VectorFile.self, from: Data(contentsOf: url))
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
        }
    }
}
