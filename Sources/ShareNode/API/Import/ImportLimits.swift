/// The bounds of an import: it is held in memory until the whole file is known to be good.
enum ImportLimits {
    /// Bytes of a file.
    static let fileBytes = 200 << 20
    /// Changes handed to the store at once.
    static let editsPerStep = 1_024
}
