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

    /// A thief uses the founder's device, and somebody has the paper.
    static let theft = """
        A1 founds
        A2 grants B owner; grants C collector
        B1 grants D collector
        A3 removes B covering B1 after A2.0; removes C after A2.1; grants E owner
        E1 removes D; grants F owner
        R1 removes A covering A2 after A1
        R1' makes C owner after A2.1
        R2<R1 removes E after A3.2
        """

    static let all = [mutual, forks, leaving, theft]

    /// A device whose leave, removal and later grants are seen along two branches.
    static let branches = """
        A1 founds
        A2<A1 grants B owner
        B1<A1 grants C owner
        A3<A2 grants D owner
        D1<A1 grants E owner
        D2<D1 grants F owner
        D3<D2 grants G owner
        B2<B1 grants B owner from 1 after A2.0; removes C
        B3<B2 removes B covering B1 after A2.0 B2.0; makes A editor after A1
        E1<A1 removes F after D2.0; grants B owner from 3 after A2.0
        C1<A1 grants F owner from 1 after E1.0; leaves covering X1 after A1 B3.1
        B4<B3 removes G after D3.0; removes G after D3.0
        G1<A1 makes E editor covering E1 after D1.0
        E2<E1 removes C covering C1 after B2.1 C1.1; removes C covering C1 after B1.0 C1.1
        B5<B4 accepts A covering A2
        E3<E2 grants B collector from 2 after A2.0 B2.0 B3.0
        B4'<B3 makes G owner covering G1 after B4.0 B4.1
        """

    /// Histories that the model and the product, or two devices, judged unlike once.
    static let found = [branches, waiting, leftTwice, unheld, circle, beyond, knownLater]

    /// What the recovery key knew of when it made B owner again is by one whose role fell since.
    static let knownLater = """
        A1 founds
        A2<A1 grants B owner
        A3<A2 grants C owner
        B1<A1 grants D owner
        A4<A3 grants E owner
        B2<B1 grants F owner
        E1<A1 grants G owner
        B3<B2 removes C after A3.0
        R1<A1 leaves covering X1 after B1.0; grants G collector from 1 after E1.0
        G1<A1 leaves covering X1 after E1.0 R1.1; makes B editor after A2.0
        B2'<B1 grants G owner from 1 after G1.0
        D1<A1 removes G covering G1 after R1.1 G1.0 B2'.0
        F1<A1 removes D; removes E covering E1
        C1<A1 accepts A covering Ar3; accepts A covering Ar2
        D2<D1 removes E covering D1 after A4.0
        R2<R1 leaves covering R1 after A1 C1.1
        R3<R2 makes B owner covering B2 after A2.0 G1.1
        G2<G1 removes E covering G1 after A4.0 F1.1 D2.0
        G3<G2 leaves covering G2 after A2.0 G1.1 R3.0; grants E owner from 2 after A4.0
        F2<F1 removes B after A2.0 R3.0; accepts C covering Cr1
        """

    /// B is removed with a head that nobody holds, and has written nine branches beyond it.
    static let beyond = """
        A1 founds
        A2 grants B editor
        B1 grants C collector
        B2 grants D collector
        B3<B2 grants E collector
        B3'<B2 grants E collector
        B3''<B2 grants E collector
        B3'''<B2 grants E collector
        B3''''<B2 grants E collector
        B3'''''<B2 grants E collector
        B3''''''<B2 grants E collector
        B3'''''''<B2 grants E collector
        B3''''''''<B2 grants E collector
        A3 removes B covering X3 after A2
        """

    /// F has its role from B, and by F1 its removal of B has seen what accepts B.
    static let circle = """
        A1 founds
        A2<A1 grants B owner
        A3<A2 grants C owner
        B1<A1 grants D owner
        C1<A1 grants E owner
        B2<B1 grants F owner
        D1<A1 grants G owner
        C2<C1 accepts B covering B2; removes G after D1.0
        F1<A1 grants B owner from 3 after A2.0 C2.0; accepts B covering B2
        A4<A3 removes D covering D1
        G1<A1 removes G after D1.0 C2.1
        F2<F1 removes B after A2.0 F1.0 F1.1
        """

    /// D is removed beyond a head that nobody will ever hold, so by its number.
    static let unheld = """
        A1 founds
        A2 grants B owner
        B1 grants C owner
        C1 grants D owner
        A3 grants E owner
        D1 grants G owner
        D2<D1 makes A editor
        A4 removes D covering D1#5
        D2'<D1 removes E
        D3<D2' leaves
        D4<D3 removes G
        """

    /// D's leave waits for D2, which does not hold: so D4 still comes into force.
    static let waiting = """
        A1 founds
        A2 grants B owner
        B1 grants C owner
        C1 grants D owner
        D1 grants G owner
        D2<D1 makes A editor
        D2'<D1 removes E
        D3<D2' leaves
        D4<D3 removes G
        """

    /// One who was never an owner leaves on two branches, and is let in again after one of them.
    static let leftTwice = """
        A1 founds
        A2 removes E
        B1 grants D owner
        B2<B1 leaves
        B2'<B1 leaves
        A3 grants B editor after B2
        """
}
