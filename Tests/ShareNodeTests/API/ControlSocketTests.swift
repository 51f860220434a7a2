import Glibc
import ShareNode
import ShareTestKit
import Testing

struct ControlSocketTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func `a socket and its folders are for this user alone`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/a/b/control.sock"
        let socket = try ControlSocket(path: path)
        #expect(mode(path) == 0o600)
        #expect(mode(scratch.path + "/a/b") == 0o700)
        #expect(mode(scratch.path + "/a") == 0o700)
        socket.close()
        #expect(access(path, F_OK) != 0)
        #expect(access(scratch.path + "/a/b", F_OK) == 0)
    }

    @Test func `a group may be let in`() throws {
        let scratch = try ScratchFolder()
        let name = String(cString: try #require(getgrgid(getgid())).pointee.gr_name)
        let socket = try ControlSocket(path: scratch.path + "/s", access: .group(name))
        #expect(mode(scratch.path + "/s") == 0o660)
        socket.close()
        #expect(throws: ControlSocketError.unknownGroup("no-such-group")) {
            try ControlSocket(path: scratch.path + "/t", access: .group("no-such-group"))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a socket that cannot be had closes nothing of others`() async throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/s"
        let name = String(cString: try #require(getgrgid(getgid())).pointee.gr_name)
        let isOver = Shared(false)
        // Another thread takes the file away before its group is set, and opens files of its own.
        let closedByOthers = Task.detached {
            var count = 0
            while !isOver.value {
                unlink(path)
                let own = open("/dev/null", O_RDONLY)
                unlink(path)
                if close(own) != 0 { count += 1 }
            }
            return count
        }
        var failures = 0
        let end = ContinuousClock.now + .seconds(20)
        while failures < 2_000, ContinuousClock.now < end {
            do {
                try ControlSocket(path: path, access: .group(name)).close()
            } catch {
                failures += 1
            }
        }
        isOver.value = true
        #expect(failures > 0)
        #expect(await closedByOthers.value == 0)
    }

    @Test func `a socket left by a crash is taken over, one in use is not`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/s"
        // What a killed process leaves: a bound name with nobody behind it.
        let dead = try ControlSocket(path: path)
        #expect(rename(path, path + ".kept") == 0)
        dead.close()
        #expect(rename(path + ".kept", path) == 0)
        let alive = try ControlSocket(path: path)
        #expect(throws: ControlSocketError.inUse(path: path)) { try ControlSocket(path: path) }
        #expect(access(path, F_OK) == 0)
        alive.close()
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a socket that is another's by now is left alone`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/s"
        let first = try ControlSocket(path: path)
        #expect(unlink(path) == 0)
        let second = try ControlSocket(path: path)
        first.close()
        #expect(access(path, F_OK) == 0)
        second.close()
    }

    @Test func `a path has 107 bytes at most`() throws {
        let scratch = try ScratchFolder()
        let room = 107 - scratch.path.utf8.count - 1
        let fits = scratch.path + "/" + String(repeating: "s", count: room)
        try ControlSocket(path: fits).close()
        let error = #expect(throws: ControlSocketError.self) { try ControlSocket(path: fits + "s") }
        #expect(error == .pathTooLong(path: fits + "s", bytes: 108))
        #expect(error?.description.contains("108 bytes") == true)
    }

    @Test func `a file that is not a socket stays what it is`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/notes"
        close(creat(path, 0o600))
        #expect(throws: ControlSocketError.notASocket(path: path)) {
            try ControlSocket(path: path)
        }
        #expect(access(path, F_OK) == 0)
    }

    @Test func `a listening socket of the service manager is taken, nothing else`() throws {
        let scratch = try ScratchFolder()
        let socket = try ControlSocket(path: scratch.path + "/s")
        let copy = dup(socket.descriptor)
        try ControlSocket(adopting: copy).close()
        #expect(throws: ControlSocketError.notListening(descriptor: STDERR_FILENO)) {
            try ControlSocket(adopting: STDERR_FILENO)
        }
        #expect(access(scratch.path + "/s", F_OK) == 0)
        socket.close()
    }
}
