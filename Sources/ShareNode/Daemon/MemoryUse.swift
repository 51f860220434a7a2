internal import CMalloc

/// Keeps what the C library holds on to in bounds: a device with little memory needs it for
/// other things once a large transfer is over.
enum MemoryUse {
    /// Blocks above this size go back to the system as soon as they are freed. A fixed value, as
    /// glibc otherwise raises it with each such block up to 32 MiB.
    private static let mapped: Int32 = 128 << 10
    /// Each further arena keeps what it has freed to itself.
    private static let arenas: Int32 = 2

    /// To be called before the first large allocation.
    static func limit() {
        mallopt(M_MMAP_THRESHOLD, mapped)
        mallopt(M_ARENA_MAX, arenas)
    }
}
