internal import Glibc

/// Why a data directory cannot be used. `description` says what happened, `hint` what to do.
package enum DataDirectoryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another daemon works on it; its process, where the lock says so.
    case locked(path: String, process: Int32?)
    /// It exists, but nothing can be created in it.
    case notWritable(path: String, errno: Int32)
    /// It, or something in it, is not the kind of file it has to be.
    case wrongKind(path: String, what: String)
    /// The identity file is there but does not hold an identity.
    case damagedIdentity(path: String, bytes: Int)
    /// Others could have read the identity.
    case exposedIdentity(path: String)
    case system(call: String, path: String, errno: Int32)

    package var description: String {
        switch self {
        case .locked(let path, let process?):
            "the data directory \(path) is locked by another sharedd (pid \(process))"
        case .locked(let path, nil):
            "the data directory \(path) is locked by another sharedd"
        case .notWritable(let path, let code):
            "cannot write to the data directory \(path): \(SystemError.text(code))"
        case .wrongKind(let path, let what): "\(path) is not \(what)"
        case .damagedIdentity(let path, let bytes):
            "the identity in \(path) is damaged: \(bytes) bytes instead of 32"
        case .exposedIdentity(let path):
            "the identity in \(path) belongs to another user, or others may read it"
        case .system(let call, let path, let code):
            "cannot \(call) \(path): \(SystemError.text(code))"
        }
    }

    package var hint: String {
        switch self {
        case .locked: "Stop that one first, or start this one with another --data."
        case .notWritable, .system: "Check its owner and its disk, or choose another with --data."
        case .wrongKind: "Move it away, or choose another folder with --data."
        case .damagedIdentity:
            "Restore the file from a backup; if there is none, move it away and join the rooms anew."
        case .exposedIdentity:
            "If nobody can have read it, make it yours alone with chmod 600; else move it away "
                + "and join the rooms anew."
        }
    }
}
