import Foundation

/// `make test-exhaustive`: what `make test` takes a part of, as that takes seconds and all of it
/// minutes, goes to its end.
package enum Exhaustive {
    package static let isOn = ProcessInfo.processInfo.environment["SHARED_EXHAUSTIVE"] != nil
}
