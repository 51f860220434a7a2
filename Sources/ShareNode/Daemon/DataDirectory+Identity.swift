internal import Glibc
internal import ShareCore
package import ShareCrypto

/// The file of the secret key, and the change from one identity to the next.
extension DataDirectory {
    private static let identityName = "identity"
    private static let nextName = "identity.next"
    /// Earlier identities are kept under this and their ids.
    private static let formerPrefix = "identity-"

    /// The identity of this device: read, or made at the first start.
    ///
    /// A damaged file is an error and never replaced: with it the device's rooms would be lost.
    /// - Throws: `DataDirectoryError`.
    package func identity() throws(DataDirectoryError) -> DeviceIdentity {
        try identity(in: DataDirectory.identityName)
    }

    /// The identity that is to follow this one: made, or kept from a change that was cut off, so
    /// that what it has been granted is not lost.
    ///
    /// - Throws: `DataDirectoryError`.
    package func nextIdentity() throws(DataDirectoryError) -> DeviceIdentity {
        try identity(in: DataDirectory.nextName)
    }

    /// Whether a change of identity was begun and not ended.
    package var hasNextIdentity: Bool { faccessat(folder, DataDirectory.nextName, F_OK, 0) == 0 }

    /// Puts the next identity in the place of this one, whose file is kept beside it. After a
    /// power cut at any moment the one or the other is there, whole.
    ///
    /// - Returns: the name of the file that keeps `current`.
    /// - Throws: `DataDirectoryError`; then `current` is still in force.
    @discardableResult
    package func replaceIdentity(_ current: DeviceKey) throws(DataDirectoryError) -> String {
        let former = DataDirectory.formerPrefix + Base32.encode(current.bytes)
        let name = DataDirectory.identityName
        guard linkat(folder, name, folder, former, 0) == 0 || errno == EEXIST,
            fsync(folder) == 0,
            renameat(folder, DataDirectory.nextName, folder, name) == 0,
            fsync(folder) == 0
        else { throw .notWritable(path: path, errno: errno) }
        return former
    }

    /// The identities that this device had before, by their keys. The present one is kept among
    /// them where a power cut ended a change of it.
    package func formerIdentities(besides present: DeviceKey) -> [DeviceKey] {
        let prefix = DataDirectory.formerPrefix
        return Folder.names(in: path).filter { $0.hasPrefix(prefix) }.compactMap {
            DeviceKey(text: "dev:" + $0.dropFirst(prefix.count))
        }.filter { $0 != present }.sorted()
    }

    // MARK: Files

    /// The seed and the public key that follows from it: a bit of either that has changed shows.
    /// Without that the device would be another one from then on, and no member of its rooms.
    private static let identityLength = DeviceIdentity.seedLength + Bytes32.count

    private func identity(in name: String) throws(DataDirectoryError) -> DeviceIdentity {
        if let identity = try readIdentity(name) { return identity }
        try writeIdentity(DeviceIdentity.generate(), name)
        // What counts is the file: link() may have lost against another process.
        guard let identity = try readIdentity(name) else {
            throw .system(call: "find again", path: path + "/" + name, errno: ENOENT)
        }
        return identity
    }

    private func readIdentity(_ name: String) throws(DataDirectoryError) -> DeviceIdentity? {
        let place = path + "/" + name
        // O_NONBLOCK: a pipe of that name must not make the daemon wait for ever.
        let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw .wrongKind(path: place, what: "a plain file") }
            throw .system(call: "open", path: place, errno: errno)
        }
        defer { Glibc.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw .system(call: "look at", path: place, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .wrongKind(path: place, what: "a plain file")
        }
        guard status.st_uid == geteuid() || geteuid() == 0, status.st_mode & 0o077 == 0 else {
            throw .exposedIdentity(path: place)
        }
        let length = DataDirectory.identityLength
        guard Int(status.st_size) == length else {
            throw .damagedIdentity(
                path: place, "\(status.st_size) bytes instead of \(length)")
        }
        var content = [UInt8](repeating: 0, count: length)
        defer { DataDirectory.wipe(&content) }
        let count = read(file, &content, length)
        guard count == length else {
            if count < 0 { throw .system(call: "read", path: place, errno: errno) }
            throw .damagedIdentity(path: place, "\(count) bytes instead of \(length)")
        }
        var seed = Array(content.prefix(DeviceIdentity.seedLength))
        defer { DataDirectory.wipe(&seed) }
        guard let identity = DeviceIdentity(seed: seed),
            identity.key.bytes.elementsEqual(content.dropFirst(DeviceIdentity.seedLength))
        else { throw .damagedIdentity(path: place, "its two halves do not belong together") }
        return identity
    }

    /// Writes a temporary file, syncs it, links it, syncs the folder: after a power cut there is
    /// the whole file or none, and an existing one is never replaced.
    private func writeIdentity(
        _ identity: DeviceIdentity, _ name: String
    ) throws(DataDirectoryError) {
        let temporary = ".identity.new"
        unlinkat(folder, temporary, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = openat(folder, temporary, flags, 0o600)
        guard file >= 0 else { throw .notWritable(path: path, errno: errno) }
        defer { unlinkat(folder, temporary, 0) }
        let code = identity.withSeed { seed -> Int32 in
            var content = Array(seed) + identity.key.bytes
            defer { DataDirectory.wipe(&content) }
            let count = write(file, content, content.count)
            if count != content.count { return count < 0 ? errno : ENOSPC }
            return fsync(file) == 0 ? 0 : errno
        }
        Glibc.close(file)
        guard code == 0 else { throw .notWritable(path: path, errno: code) }
        let linked = linkat(folder, temporary, folder, name, 0)
        guard linked == 0 || errno == EEXIST, fsync(folder) == 0 else {
            throw .notWritable(path: path, errno: errno)
        }
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        }
    }
}
