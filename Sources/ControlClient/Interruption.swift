import Glibc
import Synchronization

/// Whether the user pressed Ctrl-C (or the process was asked to end).
package enum Interruption {
    /// The words of a problem where work was interrupted, and nothing more is known.
    package static let detail = "interrupted"

    private static let requested = Atomic<Bool>(false)

    /// Turns the first SIGINT or SIGTERM into `isRequested`; a second one ends the process.
    package static func watch() {
        // Touched here, so that the handler meets an initialised value.
        requested.store(false, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            Interruption.requested.store(true, ordering: .relaxed)
        }
        // No SA_RESTART: a read that waits for input returns, and its caller looks here.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
    }

    package static var isRequested: Bool { requested.load(ordering: .relaxed) }
}
