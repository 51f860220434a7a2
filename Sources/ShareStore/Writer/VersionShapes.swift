import ShareCore

/// Finds the shape of one version after another, most of which are like the one before.
struct VersionShapes {
    private var last: (kind: RecordsBlock.Kind, names: [UInt8], shape: Int)?
    private var names: [UInt8] = []

    /// The number of what a version writes.
    ///
    /// - Parameter content: what it says, encoded.
    mutating func shape(
        _ kind: RecordsBlock.Kind, _ content: UnsafeRawBufferPointer,
        in versions: inout RecordVersions
    ) throws -> Int {
        names.removeAll(keepingCapacity: true)
        if kind == .put || kind == .edit {
            try VersionContentReader(content).appendNames(to: &names)
        }
        if let last, last.kind == kind, last.names == names { return last.shape }
        let writes = try VersionContent(encoded: content).writes(as: kind)
        let shape = versions.shape(kind, writing: writes)
        last = (kind, names, shape)
        return shape
    }
}
