/// Histories whose every subset is judged.
enum AuthorityScripts {
    /// Two owners remove each other, a third has something to say.
    static let mutual = """
        A1 founds
        A2 grants B owner; grants C owner
        A3 removes B covering B1 after A2
        B1 grants D editor
        B2 removes A covering A2 after A1
        C1 grants E collector
        C2 removes B covering B2 after A2
        C3 grants B owner from 3 after A2 C2
        """

    /// Forks, heads that are not held, roles that go up and down, what editors may do.
    static let forks = """
        A1 founds
        A2 grants B editor; grants C owner
        B1 grants D collector; grants A viewer
        B2<B1 grants E collector
        B2'<B1 grants E viewer
        A3 makes B collector covering B2 after A2
        C1 removes D covering D7 Dr9 after B1
        C2 accepts B covering B2'
        """

    /// Leaving, coming back, and the last owner.
    static let leaving = """
        A1 founds
        A2 grants B owner; grants C collector
        C1 leaves after A2.1
        B1 leaves covering A1 after A2
        A3 leaves covering A2 after A1
        A4 grants C editor from 2 after A2.1 C1
        C2 grants D viewer
        D1 leaves
        """

    static let all = [mutual, forks, leaving]
}
