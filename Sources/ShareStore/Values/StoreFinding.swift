/// Something that `verify` found to be other than it should.
package struct StoreFinding: Hashable, Sendable {
    package let place: String
    package let what: String
    package let hint: String
}
