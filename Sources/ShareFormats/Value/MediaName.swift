/// Names of photos, recordings and files, which entries keep in the place of these.
package enum MediaName {
    /// Whether a text is the name of a file alone: a way to one leads somewhere else on each device,
    /// and whoever hands a name to a program must not be led out of a folder by it.
    package static func isName(_ text: String) -> Bool {
        text != "." && text != ".." && !FormNames.hasControl(text)
            && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    }

    /// What to do with one that is none.
    package static let hint = "A name alone, such as P1020.jpg: without folders, / and \\."
}
