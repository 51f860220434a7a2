package import ShareCrypto

/// An operation of a control log (docs/protocol.md, "Control operations").
package enum ControlOperation: Hashable, Sendable {
    case found(Founding)
    case set(Setting)
    case form(FormDefinition)
    case part(ListPart)
    case list(ListDefinition)
    case grant(Grant)
    case roleChange(RoleChange)
    case removal(Removal)
    case accept(Acceptance)
}

/// Makes the room; only as the first operation of the founding batch.
package struct Founding: Hashable, Sendable {
    package let name: String
    /// 16 random bytes, so that two rooms of one founder and name differ.
    package let nonce: [UInt8]
    /// Whether anybody nearby may join as collector without a code.
    package let isOpen: Bool
    /// The public half of the key that outranks every device (docs/protocol/authority.md §1).
    package let recovery: DeviceKey

    package init(name: String, nonce: [UInt8], isOpen: Bool, recovery: DeviceKey) {
        self.name = name
        self.nonce = nonce
        self.isOpen = isOpen
        self.recovery = recovery
    }
}

/// Gives a setting of the room a value; the winner among several is chosen as for fields.
package struct Setting: Hashable, Sendable {
    package let key: String
    package let value: String
    package let parents: [OperationName]

    package init(key: String, value: String, parents: [OperationName]) {
        self.key = key
        self.value = value
        self.parents = parents
    }
}

/// Gives a device a role from a place in its own logs on.
package struct Grant: Hashable, Sendable {
    package let subject: DeviceKey
    package let role: Role
    /// The scope for the subject's entries; nil for no bound. Only a role that can have one carries
    /// it.
    package let scope: Scope?
    /// The first numbers, in the subject's control and records logs, at which it holds.
    package let firstControl: UInt64
    package let firstRecords: UInt64
    /// The grants, role changes and removals of this subject that the author had seen.
    package let supersedes: [OperationName]

    package init(
        subject: DeviceKey, role: Role, scope: Scope? = nil, firstControl: UInt64,
        firstRecords: UInt64, supersedes: [OperationName]
    ) {
        self.subject = subject
        self.role = role
        self.scope = scope
        self.firstControl = firstControl
        self.firstRecords = firstRecords
        self.supersedes = supersedes
    }
}

/// Changes a member's role: the batches covered by the heads are judged by the old role, all
/// others by the new one.
package struct RoleChange: Hashable, Sendable {
    package let subject: DeviceKey
    package let role: Role
    /// As in a grant.
    package let scope: Scope?
    package let heads: CoveredHeads
    package let supersedes: [OperationName]

    package init(
        subject: DeviceKey, role: Role, scope: Scope? = nil, heads: CoveredHeads,
        supersedes: [OperationName]
    ) {
        self.subject = subject
        self.role = role
        self.scope = scope
        self.heads = heads
        self.supersedes = supersedes
    }
}

/// Removes a member: only the batches covered by the heads go on counting. A member leaves by
/// removing itself.
package struct Removal: Hashable, Sendable {
    package let subject: DeviceKey
    package let heads: CoveredHeads
    package let supersedes: [OperationName]
    package let reason: String

    package init(
        subject: DeviceKey, heads: CoveredHeads, supersedes: [OperationName], reason: String
    ) {
        self.subject = subject
        self.heads = heads
        self.supersedes = supersedes
        self.reason = reason
    }
}

/// Names further heads of a device that count after all.
package struct Acceptance: Hashable, Sendable {
    package let subject: DeviceKey
    package let heads: CoveredHeads

    package init(subject: DeviceKey, heads: CoveredHeads) {
        self.subject = subject
        self.heads = heads
    }
}

/// The heads, in each of a device's two logs, that count with all their ancestors.
package struct CoveredHeads: Hashable, Sendable {
    package let control: [LogHead]
    package let records: [LogHead]

    package init(control: [LogHead], records: [LogHead]) {
        self.control = control
        self.records = records
    }

    package func heads(in kind: LogKind) -> [LogHead] { kind == .control ? control : records }
}

extension ControlOperation {
    /// The same without the rows of a list, for those that keep it in memory.
    package var withoutCells: ControlOperation {
        if case .part(let part) = self { .part(part.withoutCells) } else { self }
    }

    /// The same with other names for the operations that it is based on, or supersedes.
    package func renaming(_ rename: (OperationName) -> OperationName) -> ControlOperation {
        switch self {
        case .found, .accept, .part: self
        case .set(let setting):
            .set(
                Setting(
                    key: setting.key, value: setting.value, parents: setting.parents.map(rename)))
        case .form(let form):
            .form(
                FormDefinition(
                    formID: form.formID, version: form.version, parents: form.parents.map(rename),
                    fields: form.fields, json: form.json))
        case .list(let list):
            .list(
                ListDefinition(
                    name: list.name, parents: list.parents.map(rename), columns: list.columns,
                    parts: list.parts.map(rename)))
        case .grant(let grant):
            .grant(
                Grant(
                    subject: grant.subject, role: grant.role, scope: grant.scope,
                    firstControl: grant.firstControl, firstRecords: grant.firstRecords,
                    supersedes: grant.supersedes.map(rename)))
        case .roleChange(let change):
            .roleChange(
                RoleChange(
                    subject: change.subject, role: change.role, scope: change.scope,
                    heads: change.heads,
                    supersedes: change.supersedes.map(rename)))
        case .removal(let removal):
            .removal(
                Removal(
                    subject: removal.subject, heads: removal.heads,
                    supersedes: removal.supersedes.map(rename), reason: removal.reason))
        }
    }
}
