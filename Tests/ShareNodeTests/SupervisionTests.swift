import Glibc
import ShareNode
import ShareTestKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct SupervisionTests {
    @Test func `the service manager is told in its own words`() {
        let told = Shared<[String]>([])
        let supervision = Supervision { message in told.change { $0.append(message) } }
        supervision.ready(status: "listening\nMAINPID=1")
        supervision.status("2 peers")
        supervision.stopping()
        #expect(
            told.value == ["READY=1\nSTATUS=listening MAINPID=1", "STATUS=2 peers", "STOPPING=1"])
    }

    @Test func `the watchdog beats for as long as all is well`() async {
        let told = Shared<[String]>([])
        let isWell = Shared(true)
        let supervision = Supervision { message in told.change { $0.append(message) } }
        supervision.startWatchdog(period: .milliseconds(20)) { isWell.value }
        #expect(await eventually { told.value.count > 3 })
        #expect(Set(told.value) == ["WATCHDOG=1"])
        isWell.value = false
        supervision.stopWatchdog()
    }

    @Test func `a start that takes long is told until it is over`() async {
        let told = Shared<[String]>([])
        let supervision = Supervision { message in told.change { $0.append(message) } }
        supervision.starts(every: .milliseconds(10))
        #expect(await eventually { told.value.count > 2 })
        #expect(Set(told.value) == ["EXTEND_TIMEOUT_USEC=30000000\nWATCHDOG=1"])
        supervision.ready(status: "open")
        #expect(
            await eventually {
                let count = told.value.count
                try? await Task.sleep(for: .milliseconds(50))
                return told.value.count == count && told.value.contains("READY=1\nSTATUS=open")
            })
    }

    @Test func `a signal ends the wait, a second one forces`() async {
        let forced = Shared(0)
        let trap = SignalTrap(patience: .seconds(60)) { forced.change { $0 += 1 } }
        kill(getpid(), SIGTERM)
        #expect(await trap.wait() == SIGTERM)
        #expect(await trap.wait() == SIGTERM)
        #expect(forced.value == 0)
        kill(getpid(), SIGINT)
        #expect(await eventually { forced.value == 1 })
    }

    @Test func `an end that takes too long is forced`() async {
        let forced = Shared(0)
        let trap = SignalTrap(patience: .milliseconds(50)) { forced.change { $0 += 1 } }
        kill(getpid(), SIGINT)
        #expect(await trap.wait() == SIGINT)
        #expect(await eventually { forced.value == 1 })
    }
}
