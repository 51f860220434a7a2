import Synchronization

/// A value that tests and tasks share.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value {
        get { mutex.withLock { $0 } }
        set { mutex.withLock { $0 = newValue } }
    }

    func change<R: Sendable>(_ body: @Sendable (inout Value) -> R) -> R {
        mutex.withLock { body(&$0) }
    }
}
