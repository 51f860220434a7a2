import Dispatch
import Glibc
import ShareCrypto
import ShareNet

/// Discovery alone, as a program for the lab: says on stdout what it sees, and takes commands
/// on stdin.
///
/// Arguments: the device's name, its port, and a number below 256 from which its key is made.
@main
struct Probe {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = UInt16(arguments[2]),
            let number = UInt8(arguments[3]),
            let key = DeviceKey([UInt8](repeating: number, count: 32))
        else {
            say("usage: discovery-probe NAME PORT NUMBER")
            exit(2)
        }
        let discovery = Discovery(device: key)
        let advertisement = Advertisement(name: arguments[1], port: port, device: key)
        discovery.advertise(advertisement)
        listen(discovery, advertisement)
        var report = Report()
        for await snapshot in discovery.snapshots {
            for line in report.lines(for: snapshot) { say(line) }
        }
    }

    /// Prints a line at once, however stdout is buffered.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    /// Takes commands on a thread of its own, as reading stdin blocks.
    private static func listen(_ discovery: Discovery, _ first: Advertisement) {
        DispatchQueue(label: "probe.commands").async {
            var advertisement = first
            while let line = readLine(), line != "quit" {
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                switch (words.first, words.count) {
                case ("name", 2): advertisement.name = words[1]
                case ("room", 2):
                    let parts = words[1].split(separator: "|").map(String.init)
                    guard parts.count == 2,
                        let room = AdvertisedRoom(name: parts[0], shortID: parts[1])
                    else {
                        say("bad room")
                        continue
                    }
                    advertisement.rooms.append(room)
                case ("refresh", 1):
                    discovery.refresh()
                    continue
                case ("memory", 1):
                    say(ProcessFigures.line)
                    continue
                case ("stop", 1):
                    Task {
                        await discovery.stop()
                        say("stopped")
                    }
                    continue
                default: break
                }
                discovery.advertise(advertisement)
            }
            Task {
                await discovery.stop()
                exit(0)
            }
        }
    }
}
