import JSON
import ShareControl
import ShareTestKit
import Testing

/// A student alone.
@Suite(.serialized) struct CareerStoryTests {
    @Test(.timeLimit(.minutes(2)))
    func `nothing leaves the device, and limits of the programme hold`() async throws {
        let student = try await Daemon.installed("career-progress")
        let curious = try await Daemon("curious", peers: [student])
        #expect(try await student.answer("members").array?.count == 1)
        #expect(try await curious.answer("rooms").array?.isEmpty == true)
        try await curious.refuses("no room \"career\" is known here", "join", "career")

        let courses = try await student.answer("list", "course", "--sort", "code")
        #expect(
            courses.array?.compactMap { $0["code"].string } == [
                "EDF-600", "EDGC-619", "EDGC-620", "EDGC-656", "EDGC-665", "EDGC-666", "EDGC-667",
            ])
        let states = try await student.counts("course", by: "status")
        #expect(states == ["Not enrolled": 5, "Approved": 1, "In course": 1])
        // Credits left: what is required less what is earned.
        let overview = try await student.shared("view")
        #expect(overview.output.contains("3 of 12"), "\(overview.output)")
        #expect(overview.output.contains("0 of 9"), "\(overview.output)")
        try await student.refuses("is not asked", "edit", "course", "EDF-600", "grade=A")
        // At most four programmes.
        for (programmes, status) in [(5, "400"), (4, "201")] {
            let run = try await CommandRun(
                program: "/usr/bin/python3",
                [
                    "-c",
                    """
                    import http.client, json, socket, sys
                    c = http.client.HTTPConnection('shared')
                    c.sock = socket.socket(socket.AF_UNIX)
                    c.sock.connect(sys.argv[1])
                    rows = [{'title': 'counseling'}] * int(sys.argv[2])
                    values = {'student_number': '1', 'name': 'Ana', 'programme': rows}
                    c.request('POST', '/v1/records/student', json.dumps({'values': values}),
                              {'Content-Type': 'application/json'})
                    answer = c.getresponse()
                    print(answer.status, answer.read().decode())
                    """, student.socket, "\(programmes)",
                ])
            #expect(run.output.hasPrefix(status), "\(run.output)\(run.errors)")
        }
        #expect(try await student.status()["members"] != .null)
        await student.terminate()
        await curious.terminate()
    }
}
