package import ShareCore
package import ShareCrypto

/// The version of a list that is in force, and others with other content that neither it nor a
/// later one has seen: people who did not meet changed the list at once.
package struct ParallelListVersions: Sendable {
    /// A version, and who made it when, by that device's clock.
    package struct Made: Sendable {
        package let author: DeviceKey
        package let wall: WallTime
        /// 0 where it takes the list away.
        package let rows: Int
        package var columns: [String] { plan.definition.columns }
        let plan: ListCatalog.Plan

        init(_ made: ListCatalog.Made) {
            author = made.author
            wall = made.wall
            rows = made.plan.rows
            plan = made.plan
        }
    }

    package let list: String
    package let inForce: Made
    /// The latest first.
    package let others: [Made]
}

extension ListCatalog {
    /// The whole versions that had not seen the one in force, and that it had not seen, but for
    /// those that a later one of these replaces; the latest first.
    ///
    /// - Parameter made: all versions. What does not count is no version, and its author has seen
    ///   what was before it all the same.
    static func parallel(to inForce: Made, among whole: [Made], of made: [Made]) -> [Made] {
        let graph = RecordGraph(made.map(\.version))
        let known = Dictionary(
            whole.map { ($0.plan.name, $0) }, uniquingKeysWith: { one, _ in one })
        let named = (0..<graph.versions.count).map { known[graph.versions.name(of: $0)] }
        guard let position = named.firstIndex(where: { $0?.plan.name == inForce.plan.name }) else {
            return []
        }
        let parallel = graph.parallel(to: [position])
        let others = named.indices.filter { parallel[$0] && named[$0] != nil }
        return graph.latest(of: others).compactMap { named[$0] }
            .sorted { ($1.clock, $1.plan.name) < ($0.clock, $0.plan.name) }
    }
}
