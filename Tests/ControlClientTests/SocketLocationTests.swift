import ControlClient
import Foundation
import ShareControl
import ShareTestKit
import Testing

@Suite struct SocketLocationTests {
    private func candidates(_ option: String?, _ environment: [String: String]) throws -> [String] {
        try SocketLocation(option: option, environment: environment, user: 1000).candidates
    }

    @Test func `the option goes before the variable, and that before the usual places`() throws {
        let both = ["SHARED_SOCKET": "/b", "XDG_RUNTIME_DIR": "/run/me"]
        #expect(try candidates("/a", both) == ["/a"])
        #expect(try candidates(nil, both) == ["/b"])
        let usual = ["/run/me/shared/control.sock", "/run/shared/control.sock"]
        #expect(try candidates(nil, ["XDG_RUNTIME_DIR": "/run/me"]) == usual)
        #expect(try candidates(nil, ["XDG_RUNTIME_DIR": "/run/me", "SHARED_SOCKET": ""]) == usual)
        #expect(
            try candidates(nil, [:])
                == ["/run/user/1000/shared/control.sock", "/run/shared/control.sock"])
    }

    @Test func `a path of 107 bytes is taken, and one of 108 refused`() throws {
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(try candidates(longest, [:]) == [longest])
        #expect(throws: Problem.self) { try candidates(longest + "x", [:]) }
        // Bytes count, not characters.
        #expect(throws: Problem.self) {
            try candidates("/" + String(repeating: "ü", count: 54), [:])
        }
        #expect(throws: Problem.self) { try candidates(nil, ["SHARED_SOCKET": longest + "x"]) }
    }

    @Test func `what starts the daemon is said for the way in which it is installed`() throws {
        let folder = try ScratchFolder()
        func hint(_ option: String?) throws -> String? {
            var location = try SocketLocation(option: option, environment: [:], user: 1000)
            location.unitFolders = [folder.path]
            return location.problem(location.candidates.map { ($0, ENOENT) }).hint
        }
        #expect(try hint(nil)?.hasPrefix("Start it: sharedd. ") == true)
        try Data().write(to: URL(filePath: folder.path + "/sharedd.service"))
        #expect(try hint(nil)?.hasPrefix("Start it: sudo systemctl start sharedd. ") == true)
        #expect(try hint("/a")?.hasPrefix("Start it: sharedd --socket /a. ") == true)
    }
}
