import Glibc

/// How much room there is for what has to be written.
struct DiskSpace {
    /// In bytes.
    let free: UInt64

    /// Below this a room soon cannot be written.
    private static let low: UInt64 = 200 << 20
    private static let least: UInt64 = 20 << 20

    /// - Returns: nil where the system does not tell.
    init?(of folder: String) {
        var figures = statvfs()
        guard statvfs(folder, &figures) == 0 else { return nil }
        free = UInt64(figures.f_bavail) &* UInt64(figures.f_frsize)
    }

    var isLow: Bool { free < Self.low }
    var isUsedUp: Bool { free < Self.least }
}
