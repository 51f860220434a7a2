/// Waits until `condition` holds; false when it did not within the limit.
package func eventually(
    within limit: Duration = .seconds(30), _ condition: @Sendable () async -> Bool
) async -> Bool {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return await condition()
}
