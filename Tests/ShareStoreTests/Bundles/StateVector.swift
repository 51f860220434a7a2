import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit

@testable import ShareStore

/// `Tests/Vectors/state.json`: what the batches of `batches.json` come to.
struct StateVector: Codable, Equatable {
    var batches: [Verdicts]
    var members: [Member]
    var forms: [Form]
    var records: [Record]
    var vector: String
    var digest: String

    /// A batch, what became of it, and a word on each of its operations.
    struct Verdicts: Codable, Equatable {
        var name: String
        var fate: String
        var operations: [String]
    }

    struct Member: Codable, Equatable {
        var key: String
        var role: UInt8
    }

    struct Name: Codable, Equatable {
        var batch: String
        var index: Int

        init(_ name: OperationName) {
            batch = StateVector.hex(name.batch.bytes)
            index = name.index
        }
    }

    struct Form: Codable, Equatable {
        var formID: String
        var inForce: Name
    }

    struct Record: Codable, Equatable {
        var form: String
        var creator: String
        var id: String
        var isDeleted: Bool
        /// Milliseconds since 1970, as people see them.
        var created: UInt64
        var updated: UInt64
        var values: [Value]
        var heads: [Name]
        var review: Review?
    }

    /// The winner of a field. The value is absent, or one of the three.
    struct Value: Codable, Equatable {
        var name: String
        var type: UInt8
        var integer: String?
        var decimal: String?
        var text: String?
        var version: Name
    }

    struct Review: Codable, Equatable {
        var state: String?
        var version: Name
    }

    static let folder = Repository.url("Tests/Vectors")
    static let url = folder.appending(path: "state.json")

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension StateVector.Value {
    init(_ field: FormField, _ value: FieldValue, _ version: OperationName) {
        self.init(
            name: field.name, type: field.type.rawValue, version: StateVector.Name(version))
        switch value {
        case .absent: break
        case .integer(let value): integer = "\(value)"
        case .decimal(let value):
            decimal = StateVector.hex(
                withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) })
        case .text(let value): text = value
        }
    }
}
