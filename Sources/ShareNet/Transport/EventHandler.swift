/// What an event loop tells about a descriptor's readiness; called on the loop's thread.
protocol EventHandler: AnyObject {
    func ready(_ events: UInt32)
}
