/// Text as one word of a shell's command line, for commands that people copy.
enum Shell {
    static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0)
                || "-_./:@%+,".unicodeScalars.contains($0)
        }
        if isPlain, !text.isEmpty, !text.hasPrefix("-") { return text }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
