import Glibc

/// The seed of a random test: fresh and printed, or taken back from `SHARED_TEST_SEED`.
package enum TestSeed {
    /// A seed for the test that calls this.
    package static func printed(by test: String = #function) -> UInt64 {
        let given = getenv("SHARED_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? UInt64.random(in: 0 ... .max)
        print("SHARED_TEST_SEED=\(seed) \(test)")
        return seed
    }
}
