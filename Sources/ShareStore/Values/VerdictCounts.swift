/// How many operations are accepted, waiting, refused.
package struct VerdictCounts: Hashable, Sendable {
    package var accepted = 0
    package var waiting = 0
    package var refused = 0

    package init(accepted: Int = 0, waiting: Int = 0, refused: Int = 0) {
        self.accepted = accepted
        self.waiting = waiting
        self.refused = refused
    }
}
