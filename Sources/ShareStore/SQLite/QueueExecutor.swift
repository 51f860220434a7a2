internal import Dispatch

/// Runs an actor on a Dispatch queue of its own, so that what blocks on the disk does not block
/// the shared pool, which has two threads on small machines.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
