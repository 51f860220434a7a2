/// A control operation that counts, with its name.
package struct AuthorityChange: Hashable, Sendable {
    package let name: OperationName
    package let operation: ControlOperation

    package init(name: OperationName, operation: ControlOperation) {
        self.name = name
        self.operation = operation
    }
}
