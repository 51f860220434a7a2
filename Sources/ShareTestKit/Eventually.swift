/// Waits until `condition` holds; false when it did not within the limit.
///
/// Looks after 5 ms first, and then the more seldom the longer it lasts, as many a look starts a
/// process: a wait gets longer by a tenth, and never by more than 50 ms.
package func eventually(
    within limit: Duration = .seconds(30), _ condition: @Sendable () async -> Bool
) async -> Bool {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < limit {
        if await condition() { return true }
        let waited = ContinuousClock.now - start
        try? await Task.sleep(for: min(max(waited / 10, .milliseconds(5)), .milliseconds(50)))
    }
    return await condition()
}
