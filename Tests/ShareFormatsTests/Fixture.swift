import Foundation
import ShareTestKit

/// Files of the repository that tests read.
enum Fixture {
    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Repository.url(path)))
    }
}
