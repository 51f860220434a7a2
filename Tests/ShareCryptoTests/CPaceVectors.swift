import Foundation
import ShareTestKit
import Testing

/// `Tests/Vectors/cpace-ristretto255.json`.
struct CPaceVectors: Decodable {
    struct Generator: Decodable {
        let H_s_in_bytes: Int
        let DSI: String
        let generator_string_length: Int
    }
    struct Points: Decodable {
        let valid: [String: String]
        let invalid1: String
        let invalid2: String

        enum CodingKeys: String, CodingKey {
            case valid = "Valid"
            case invalid1 = "Invalid Y1"
            case invalid2 = "Invalid Y2"
        }
    }
    let generator: Generator
    let vectors: [String: String]
    let points: Points

    static func load() throws -> CPaceVectors {
        let file = Repository.url("Tests/Vectors/cpace-ristretto255.json")
        return try JSONDecoder().decode(CPaceVectors.self, from: Data(contentsOf: file))
    }

    subscript(_ name: String) -> [UInt8] {
        get throws { try hex(#require(vectors[name])) }
    }

    func point(_ name: String) throws -> [UInt8] {
        try hex(#require(points.valid[name]))
    }
}
