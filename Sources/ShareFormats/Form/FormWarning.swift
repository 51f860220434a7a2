/// Something in a form that is kept but does not act (yet), told to who adds the form.
package struct FormWarning: Hashable, Sendable, CustomStringConvertible {
    /// The field or list concerned; nil for the form as a whole.
    package let subject: String?
    package let text: String

    package var description: String { subject.map { "\($0): \(text)" } ?? text }
}
