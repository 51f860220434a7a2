/// Text as people search for it: without case, and without marks on letters, so that `traore` finds
/// Traoré.
package enum FoldedText {
    /// The text in small letters without marks; letters that only look alike stay apart.
    package static func fold(_ text: String) -> String {
        String(decoding: bytes(text), as: UTF8.self)
    }

    /// The same as UTF-8.
    ///
    /// - Complexity: O(length); a letter never becomes more than three times as long.
    package static func bytes(_ text: String) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { append(scalar, to: &folded) }
        return folded
    }

    /// The places in the text, in scalars, at which a part that is folded already is found first.
    package static func range(of part: [UInt8], in text: String) -> Range<Int>? {
        guard !part.isEmpty else { return nil }
        var folded: [UInt8] = []
        var owner: [Int] = []
        for (position, scalar) in text.unicodeScalars.enumerated() {
            append(scalar, to: &folded)
            while owner.count < folded.count { owner.append(position) }
        }
        guard folded.count >= part.count else { return nil }
        for start in 0...(folded.count - part.count)
        where folded[start] == part[0] && folded[start..<start + part.count].elementsEqual(part) {
            return owner[start]..<owner[start + part.count - 1] + 1
        }
        return nil
    }

    private static func append(_ scalar: Unicode.Scalar, to folded: inout [UInt8]) {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            folded.append((65...90).contains(byte) ? byte + 32 : byte)
            return
        }
        if let plain = plain[scalar.value] {
            folded += plain
            return
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark: return
        case .uppercaseLetter, .titlecaseLetter:
            for small in scalar.properties.lowercaseMapping.unicodeScalars {
                if small == scalar {
                    folded += Array(String(small).utf8)
                } else {
                    append(small, to: &folded)
                }
            }
        default: folded += Array(String(scalar).utf8)
        }
    }

    /// Letters without their marks, by their number.
    private static let plain: [UInt32: [UInt8]] = {
        var plain: [UInt32: [UInt8]] = [:]
        for (letter, marked) in letters {
            for scalar in marked.unicodeScalars { plain[scalar.value] = Array(letter.utf8) }
        }
        return plain
    }()

    /// Small letters with marks, of the Latin, Greek and Cyrillic scripts; ligatures and letters
    /// with a stroke as people type them.
    private static let letters: [(letter: String, marked: String)] = [
        ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
        ("ae", "æǣǽ"),
        ("b", "ɓḃḅḇ"),
        ("c", "çćĉċčḉ"),
        ("d", "ðďđɖɗḋḍḏḑḓ"),
        ("e", "èéêëēĕėęěȅȇȩəɛḕḗḙḛḝẹẻẽếềểễệ"),
        ("f", "ƒḟ"),
        ("g", "ĝğġģǧǵḡ"),
        ("h", "ĥħȟḣḥḧḩḫẖ"),
        ("i", "ìíîïĩīĭįıǐȉȋɩḭḯỉị"),
        ("j", "ĵǰ"),
        ("k", "ķƙǩḱḳḵ"),
        ("l", "ĺļľłḷḹḻḽ"),
        ("m", "ḿṁṃ"),
        ("n", "ñńņňŉŋǹɲṅṇṉṋ"),
        ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱɔṍṏṑṓọỏốồổỗộớờởỡợ"),
        ("oe", "œ"),
        ("p", "ṕṗ"),
        ("r", "ŕŗřȑȓṙṛṝṟ"),
        ("s", "śŝşšșṡṣṥṧṩ"),
        ("ss", "ß"),
        ("t", "ţťŧțṫṭṯṱẗ"),
        ("th", "þ"),
        ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
        ("v", "ʋṽṿ"),
        ("w", "ŵẁẃẅẇẉẘ"),
        ("x", "ẋẍ"),
        ("y", "ýÿŷƴȳẏẙỳỵỷỹ"),
        ("z", "źżžẑẓẕ"),
        ("α", "άἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
        ("ε", "έἐἑἒἓἔἕὲέ"),
        ("η", "ήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
        ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ"),
        ("ο", "όὀὁὂὃὄὅὸό"),
        ("ρ", "ῤῥ"),
        ("σ", "ς"),
        ("υ", "ΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ"),
        ("ω", "ώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
        ("а", "ӑӓ"),
        ("г", "ѓ"),
        ("е", "ѐёӗ"),
        ("ж", "ӂӝ"),
        ("з", "ӟ"),
        ("и", "йѝӣӥ"),
        ("к", "ќ"),
        ("о", "ӧ"),
        ("у", "ўӯӱӳ"),
        ("ч", "ӵ"),
        ("ы", "ӹ"),
        ("э", "ӭ"),
        ("і", "ї"),
        ("ѵ", "ѷ"),
        ("ә", "ӛ"),
        ("ө", "ӫ"),
    ]
}
