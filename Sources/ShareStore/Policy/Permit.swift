import ShareCore
import ShareCrypto

/// A member's rights at a batch: a role, and the scopes that its entries must lie in.
struct Permit {
    let role: Role
    var scopes: [Scope] = []

    /// Whether it lets `author` write a row of a block.
    ///
    /// - Parameter form: the block's, where its definition is known: without it no scope is looked
    ///   at, as the row waits.
    func allows(
        _ block: RecordsBlock, row: Int, by author: DeviceKey, _ form: FormDefinition?
    ) -> Bool {
        let creator = block.creators[Int(block.rows[row].creator)]
        return RecordPermission.allows(
            role, block.kind, own: block.kind == .put || creator == author)
            && (form.map { block.fault(row: row, outside: scopes, $0) == nil } ?? true)
            && (block.kind != .put || form?.isRepeat != true
                || block.allowsParent(row, as: role, by: author))
    }
}

extension Standing {
    /// Nil where its author may do nothing.
    var permit: Permit? { role.map { Permit(role: $0, scopes: scopes) } }
}
