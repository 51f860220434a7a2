package import ShareCore

/// What became of a group of batches.
package struct MergeReport: Sendable {
    /// One for each batch, in the order in which they were handed over.
    package var outcomes: [MergeOutcome] = []
    /// Whether control batches were among those stored: members, roles, forms may differ.
    package var changedControl = false
    /// Pending operations that were dropped, as batches of this device's own that have come
    /// back hold them already.
    package var sealedBefore = 0
    /// What there is to tell to those who watch.
    package var news = RoomNews()

    package init(
        outcomes: [MergeOutcome] = [], changedControl: Bool = false, sealedBefore: Int = 0,
        news: RoomNews = RoomNews()
    ) {
        self.outcomes = outcomes
        self.changedControl = changedControl
        self.sealedBefore = sealedBefore
        self.news = news
    }
}
