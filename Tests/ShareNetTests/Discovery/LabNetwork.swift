import Foundation
import ShareTestKit

/// A LAN of network namespaces, made by `Lab/lan`, used through `with`.
final class LabNetwork {
    private let folder: URL

    private init(folder: URL) { self.folder = folder }

    /// Runs `body` in a LAN of that many hosts, and ends the LAN.
    static func with(hosts: Int, _ body: (LabNetwork) async throws -> Void) async throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory())
            .appendingPathComponent("lab-\(UUID().uuidString.prefix(8))")
        let lab = LabNetwork(folder: folder)
        try await lab.lan("up", "\(hosts)")
        do {
            try await body(lab)
        } catch {
            try await lab.end()
            throw error
        }
        try await lab.end()
    }

    private func end() async throws {
        try await lan("down")
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether a LAN can run on this machine.
    static let works: Bool = {
        let check = Process()
        check.executableURL = script
        check.arguments = ["check"]
        guard (try? check.run()) != nil else { return false }
        check.waitUntilExit()
        return check.terminationStatus == 0
    }()

    /// Runs a command of `Lab/lan` to its end.
    func lan(_ arguments: String...) async throws {
        let process = command(arguments)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else {
            throw LabFailure(text: "Lab/lan \(arguments.joined(separator: " ")): exit \(status)")
        }
    }

    /// Starts discovery on a host, for a device of that name whose key is made from a number.
    ///
    /// - Parameter user: the number of the user to run as; nil for that of the tests.
    func probe(on host: Int, name: String, number: Int, as user: Int? = nil) throws -> LabProbe {
        var words = ["exec", "\(host)"]
        var binary = LabNetwork.binary
        if let user {
            // Another user may not be able to enter the folder of the build.
            let copy = folder.appendingPathComponent("discovery-probe")
            try FileManager.default.copyItem(at: binary, to: copy)
            binary = copy
            words += ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        }
        words += [binary.path, name, "\(47_000 + number)", "\(number)"]
        return try LabProbe(
            command(words), output: folder.appendingPathComponent("probe-\(UUID())"))
    }

    private func command(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = LabNetwork.script
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["LAB_DIR"] = folder.path
        process.environment = environment
        return process
    }

    private static let script = Repository.url("Lab/lan")

    /// The probe lies beside the tests' own binary.
    private static let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("discovery-probe")
}

struct LabFailure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
