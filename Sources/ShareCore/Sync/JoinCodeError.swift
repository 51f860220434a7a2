/// What is wrong with a code as it was typed.
package enum JoinCodeError: Error, Hashable, Sendable {
    /// The number of characters that it has, hyphens and spaces left out; it must be 8.
    case length(Int)
    /// A character that no code contains.
    case character(Character)
}
