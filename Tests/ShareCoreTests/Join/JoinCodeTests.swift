import ShareCore
import Testing

@Suite struct JoinCodeTests {
    @Test(arguments: [
        "K7QX-93MP", "k7qx-93mp", "K7QX93MP", " k7 qx-93 mp ", "K-7-Q-X-9-3-M-P",
    ])
    func `a code is read however it is typed`(typed: String) throws {
        let code = try JoinCode(typed: typed)
        #expect(code.text == "K7QX-93MP")
        #expect(code.selector.text == "K7" && code.secret.text == "QX93MP")
    }

    @Test func `letters that look like digits are read as these`() throws {
        #expect(try JoinCode(typed: "OoIi-LlOI").text == "0011-1101")
    }

    @Test func `words, numbers and years have not the shape of a code`() {
        for text in ["hospital", "ward2024", "west-ward", "Koro-2024", "20260101", "clinic", ""] {
            #expect(!JoinCode.hasShape(text), "\(text)")
        }
        for text in ["K7QX-93MP", "k7qx93mp", "8pdtobgz", "s0fh a3tw"] {
            #expect(JoinCode.hasShape(text), "\(text)")
        }
    }

    @Test func `one letter off a code is told from a name`() {
        let likeness = JoinCode.likeness
        for text in ["K7QX-93MP", "k7qx93mp"] { #expect(likeness(text) == .code, "\(text)") }
        for text in ["K7QX-93M", "7qx-93mp", "k7qx 3mp", "S0FH-A3T"] {
            #expect(likeness(text) == .mistyped(.oneMissing), "\(text)")
        }
        for text in ["K7QX-93MPP", "k7qx-93mp2", "K77QX-93MP"] {
            #expect(likeness(text) == .mistyped(.oneTooMany), "\(text)")
        }
        for text in ["K7QX-93MU", "u7qx93mp"] {
            #expect(likeness(text) == .mistyped(.otherLetter), "\(text)")
        }
        // Names may be so, and codes too.
        for text in ["3rd-ward", "camp2west", "MM3M-MMM"] {
            #expect(likeness(text) == .close(text.count == 9 ? .oneTooMany : .oneMissing))
        }
        for text in ["SPGR-M204", "SPGR M204", "KLMN-PQ12", "spgr-m204", "Spgr-M204", "A101-SPGU"] {
            #expect(likeness(text) == .mistyped(.misread), "\(text)")
        }
        #expect(likeness("ROOM-2026") == .close(.misread))
        for text in [
            "clinic", "hospital", "SPGRM204", "SPGR-MABC", "2026-1127", "ward2024", "clinics1",
            "koro-2026", "Koro-2026", "Camp no12", "west-ward", "spgr_m204", "spgr-m20{",
            "sector2", "ward-103", "2026-10", "northeast",
            "korosurvey", "K7QX-93", "K7QX-93MPQ2", "k7qx_93m", "té7qx93", "",
        ] {
            #expect(likeness(text) == .none, "\(text)")
        }
    }

    @Test func `what is no code says why`() {
        #expect(throws: JoinCodeError.length(0)) { try JoinCode(typed: "") }
        #expect(throws: JoinCodeError.length(0)) { try JoinCode(typed: "-- -") }
        #expect(throws: JoinCodeError.length(7)) { try JoinCode(typed: "K7QX-93M") }
        #expect(throws: JoinCodeError.length(9)) { try JoinCode(typed: "K7QX-93MPP") }
        #expect(throws: JoinCodeError.character("U")) { try JoinCode(typed: "K7QX-93MU") }
        #expect(throws: JoinCodeError.character("é")) { try JoinCode(typed: "K7QX-93Mé") }
        #expect(throws: JoinCodeError.character("😀")) { try JoinCode(typed: "😀") }
        #expect(throws: JoinCodeError.character("\0")) { try JoinCode(typed: "K7QX-93M\0") }
    }

    @Test func `a selector and a secret are taken in their written form only`() {
        for text in ["", "K", "K77", "k7", "KO", "K ", "Ké"] { #expect(JoinSelector(text) == nil) }
        for text in ["", "QX93M", "QX93MPP", "qx93mp", "QX93MO"] {
            #expect(JoinSecret(text) == nil)
        }
    }

    @Test func `printing a code's value does not show the secret`() throws {
        let code = try JoinCode(typed: "K7QX-93MP")
        #expect(!"\(code)".contains("QX93MP") && "\(code)".contains("K7"))
        #expect(!String(reflecting: code).contains("QX93MP"))
    }
}
