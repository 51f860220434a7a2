import Glibc
import ShareCrypto
import ShareNode
import ShareTestKit
import Testing

struct DataDirectoryTests {
    private func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) {
        let file = creat(path, mode)
        _ = Glibc.write(file, bytes, bytes.count)
        close(file)
    }

    private func contents(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test func `an identity is made once and found again`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/deep/data"
        let first = try DataDirectory(path: path)
        let key = try first.identity().key
        #expect(try first.identity().key == key)
        first.close()
        let second = try DataDirectory(path: path)
        #expect(try second.identity().key == key)
        var status = stat()
        #expect(stat(path + "/identity", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600 && status.st_size == 64 && status.st_nlink == 1)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        second.close()
    }

    @Test func `a second daemon is told who has the directory`() throws {
        let scratch = try ScratchFolder()
        let first = try DataDirectory(path: scratch.path)
        let error = #expect(throws: DataDirectoryError.self) {
            try DataDirectory(path: scratch.path)
        }
        #expect(error == .locked(path: scratch.path, process: getpid()))
        #expect(error?.description.hasSuffix("locked by another sharedd (pid \(getpid()))") == true)
        first.close()
        try DataDirectory(path: scratch.path).close()
    }

    @Test func `a second daemon is kept out also where the lock file was removed`() throws {
        let scratch = try ScratchFolder()
        let first = try DataDirectory(path: scratch.path)
        unlink(scratch.path + "/lock")
        let error = #expect(throws: DataDirectoryError.self) {
            try DataDirectory(path: scratch.path)
        }
        #expect(error == .locked(path: scratch.path, process: nil))
        first.close()
        try DataDirectory(path: scratch.path).close()
    }

    @Test func `a changed bit in an identity is noticed`() throws {
        let scratch = try ScratchFolder()
        let data = try DataDirectory(path: scratch.path)
        let path = scratch.path + "/identity"
        let key = try data.identity().key
        let sound = contents(path)
        for place in sound.indices {
            var bytes = sound
            bytes[place] ^= 1 << UInt8(place % 8)
            write(bytes, to: path)
            let error = #expect(throws: DataDirectoryError.self) { try data.identity() }
            #expect(error?.description.contains("do not belong together") == true)
        }
        write(sound, to: path)
        #expect(try data.identity().key == key)
    }

    @Test(arguments: [0, 32, 63, 65])
    func `a damaged identity is an error and stays as it is`(length: Int) throws {
        let scratch = try ScratchFolder()
        let data = try DataDirectory(path: scratch.path)
        let bytes = [UInt8](repeating: 7, count: length)
        write(bytes, to: scratch.path + "/identity")
        #expect(
            throws: DataDirectoryError.damagedIdentity(
                path: scratch.path + "/identity", "\(length) bytes instead of 64")
        ) { try data.identity() }
        #expect(contents(scratch.path + "/identity") == bytes)
    }

    @Test func `an identity of zeros is damaged`() throws {
        let scratch = try ScratchFolder()
        let data = try DataDirectory(path: scratch.path)
        write([UInt8](repeating: 0, count: 64), to: scratch.path + "/identity")
        #expect(throws: DataDirectoryError.self) { try data.identity() }
    }

    @Test func `an identity that others can read is not used`() throws {
        let scratch = try ScratchFolder()
        let data = try DataDirectory(path: scratch.path)
        write([UInt8](repeating: 7, count: 32), to: scratch.path + "/identity")
        chmod(scratch.path + "/identity", 0o640)
        #expect(throws: DataDirectoryError.exposedIdentity(path: scratch.path + "/identity")) {
            try data.identity()
        }
    }

    @Test func `links and pipes are not followed for an identity`() throws {
        let scratch = try ScratchFolder()
        let data = try DataDirectory(path: scratch.path)
        let path = scratch.path + "/identity"
        write([UInt8](repeating: 7, count: 32), to: scratch.path + "/elsewhere")
        #expect(symlink("elsewhere", path) == 0)
        let isWrong = DataDirectoryError.wrongKind(path: path, what: "a plain file")
        #expect(throws: isWrong) { try data.identity() }
        #expect(unlink(path) == 0 && symlink("nothing", path) == 0)
        #expect(throws: isWrong) { try data.identity() }
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(throws: isWrong) { try data.identity() }
    }

    @Test func `what an interrupted first start left does not matter`() throws {
        let scratch = try ScratchFolder()
        let data = try DataDirectory(path: scratch.path)
        write([1, 2, 3], to: scratch.path + "/.identity.new")
        _ = try data.identity()
        #expect(access(scratch.path + "/.identity.new", F_OK) != 0)
    }

    @Test func `a file in the place of the directory is a clear error`() throws {
        let scratch = try ScratchFolder()
        write([], to: scratch.path + "/data")
        #expect(
            throws: DataDirectoryError.wrongKind(path: scratch.path + "/data", what: "a folder")
        ) { try DataDirectory(path: scratch.path + "/data") }
    }

    @Test func `a directory that cannot be written to is a clear error`() throws {
        // No user, not even root, can create anything there.
        let error = #expect(throws: DataDirectoryError.self) {
            try DataDirectory(path: "/proc/self/fdinfo")
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("cannot write to the data directory /proc/self/fdinfo: "))
    }
}
