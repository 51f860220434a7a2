internal import Synchronization

/// A result that several may try to give and one waits for: the first counts.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
        case done
    }

    private let state = Mutex(State.open)

    /// Gives the result; false if there was one already.
    @discardableResult
    func give(_ value: Value) -> Bool {
        let (isFirst, continuation): (Bool, CheckedContinuation<Value, Never>?) =
            state.withLock { state in
                switch state {
                case .open:
                    state = .given(value)
                    return (true, nil)
                case .awaited(let continuation):
                    state = .done
                    return (true, continuation)
                case .given, .done:
                    return (false, nil)
                }
            }
        continuation?.resume(returning: value)
        return isFirst
    }

    /// Waits for the result; may be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let given: Value? = state.withLock { state in
                switch state {
                case .open:
                    state = .awaited(continuation)
                    return nil
                case .given(let value):
                    state = .done
                    return value
                case .awaited, .done:
                    preconditionFailure("a one-shot result is awaited once")
                }
            }
            if let given { continuation.resume(returning: given) }
        }
    }
}
