/// A fault by what it is and where, wherever its row stands: the same before a change and after it.
package struct FaultName: Hashable, Sendable {
    /// With rows by their ids.
    let path: String
    let kind: EntryFault.Kind
}

extension FillState {
    package func name(of fault: EntryFault) -> FaultName {
        let place = path(of: fault.node)
        let path =
            fault.path.hasPrefix(place)
            ? self.path(of: fault.node, byRow: true) + fault.path.dropFirst(place.count)
            : fault.path
        return FaultName(path: path, kind: fault.kind)
    }
}
