internal import Dispatch

/// Runs an actor on a Dispatch queue of its own, so that what blocks there does not hold up the
/// Swift concurrency pool.
final class DispatchExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
