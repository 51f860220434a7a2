package import ShareNet

extension Node {
    /// The parts that a node is started with.
    package struct Setup: Sendable {
        package var data: DataDirectory
        package var name: String
        /// Nil: the port kept from before, else the standard one, else any free one.
        package var listen: Endpoint?
        package var peers: [Endpoint] = []
        package var discovers = true
        package var log: Log
        /// Milliseconds of the wall clock since 1970; another one in tests alone.
        package var wall: @Sendable () -> UInt64 = { WallClock.milliseconds() }

        package init(data: DataDirectory, name: String, log: Log) {
            self.data = data
            self.name = name
            self.log = log
        }
    }
}
