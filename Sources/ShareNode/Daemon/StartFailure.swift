import ShareNet
import ShareStore

/// Why the daemon could not start, in words and with what to do about it.
struct StartFailure {
    let text: String
    let hint: String

    init(_ error: any Error, _ options: DaemonOptions) {
        switch error {
        case let error as DataDirectoryError:
            text = error.description
            hint = error.hint
        case let error as ControlSocketError:
            text = error.description
            hint = error.hint
        case TransportError.addressInUse(let address):
            text = "\(address) is in use by another program"
            hint = "Choose another with --listen ADDR:PORT, or leave it out to take any free port."
        case let error as TransportError:
            text = "listening failed: \(error)"
            hint = "Look at the address given with --listen."
        case StoreError.newerSchema(let found, let known):
            text =
                "the data in \(options.data) was written by a newer release"
                + " (schema \(found), this one knows \(known))"
            hint = "Install the newer release again; nothing was changed."
        case let error as SQLiteError where error.isCorrupt:
            text = "a file in \(options.data) is damaged: \(error.message)"
            hint = "Put it aside and join the room again; other devices hold its entries."
        case let error as SQLiteError where error.isDiskFull:
            text = "the disk is full"
            hint = "Make room, then start again; nothing was lost."
        case let error as SQLiteError:
            text = "the data in \(options.data) cannot be opened: \(error.message)"
            hint = "Look at the permissions of the folder and its files."
        default:
            text = "\(error)"
            hint = "Start with --log-level debug to see more."
        }
    }
}
