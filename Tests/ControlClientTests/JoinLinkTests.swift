import ShareControl
import Testing

@Suite struct JoinLinkTests {
    @Test func `a link is written as documented and read back`() {
        let link = JoinLink(
            room: "Station 3 & S\u{FC}d", code: "K7QX-93MP",
            at: ["192.168.1.5:47117", "[fe80::1%wlan0]:47117"])
        #expect(
            link.text
                == "shared:join?room=Station%203%20%26%20S%C3%BCd&code=K7QX-93MP"
                + "&at=192.168.1.5:47117&at=%5Bfe80::1%25wlan0%5D:47117")
        #expect(JoinLink(text: link.text) == link)
        #expect(JoinLink(text: "SHARED:JOIN?" + link.text.dropFirst(12)) == link)
    }

    @Test func `what a later release adds is passed over, and addresses are bounded`() {
        let many = (1...9).map { "&at=10.0.0.\($0):1" }.joined()
        let link = JoinLink(text: "shared:join?v=2&room=a&key=x&code=b" + many)
        #expect(link?.room == "a" && link?.code == "b")
        #expect(link?.at.count == JoinLink.addresses)
    }

    @Test(arguments: [
        "", "clinic", "shared:", "shared:join", "shared:join?", "shared:join?room=a",
        "shared:join?code=b", "shared:join?room=&code=b", "shared:join?room=a&code=",
        "shared:join?room=a&code=%4", "shared:join?room=%FF&code=b", "shared:join?room&code=b",
        "shared:leave?room=a&code=b", "http://join?room=a&code=b",
    ])
    func `what is no whole link is none`(text: String) {
        #expect(JoinLink(text: text) == nil)
    }
}
