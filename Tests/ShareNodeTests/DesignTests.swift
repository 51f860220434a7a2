import Foundation
import ShareTestKit
import Testing

/// docs/design.md against the sources: the files in which it says that something is to be changed.
@Suite struct DesignTests {
    let root = Repository.folder.path

    @Test func `files that the design names are there`() throws {
        let bytes = try Data(contentsOf: URL(filePath: root + "/docs/design.md"))
        let named = String(decoding: bytes, as: UTF8.self).split(separator: "`")
            .filter { $0.hasSuffix(".swift") && !$0.contains(where: " <".contains) }.map {
                String($0)
            }
        #expect(named.count > 20)
        let sources = try #require(FileManager.default.enumerator(atPath: root + "/Sources"))
        let files = sources.compactMap { $0 as? String }.map { "/" + $0 } + ["/Package.swift"]
        for name in named {
            #expect(files.contains { $0.hasSuffix("/" + name) }, "\(name)")
        }
    }
}
