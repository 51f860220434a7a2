import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Tells those who watch what is done to records and forms.
struct ChangeEvents: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let watch: WatchHub

    /// Tells what a merge has brought.
    func tell(_ report: MergeReport, in room: OpenRoom) async {
        var authorNames: [DeviceKey: NamedDevice] = [:]
        let authors =
            report.news.records.map(\.author) + report.news.refused.map(\.author)
            + report.outcomes.map(\.log.author)
        for author in Set(authors) { authorNames[author] = await names.named(author) }
        for event in WatchEvents.received(report, authorNames, own: own.key)
            + WatchEvents.news(report.news, authorNames)
            + WatchEvents.refused(report.news, authorNames) + WatchEvents.conflicts(report.news)
        {
            tell(event, in: room)
        }
        for form in report.news.changedForms {
            tellForm(form, await room.store.form(form)?.form.version, in: room)
        }
    }

    /// Tells what was done to a record here.
    func tell(_ news: RecordNews, in room: OpenRoom) async {
        guard watch.isWatched else { return }
        tell(WatchEvents.news(news, by: await names.named(news.author)), in: room)
    }

    /// Tells that a form has another definition now, or none.
    func tellForm(_ form: String, _ version: String?, in room: OpenRoom) {
        tell(
            WatchEvent(
                event: "form_changed", form: form,
                text: version.map { "form \(form) has version \($0) now" }
                    ?? "form \(form) is not there any more"), in: room)
    }

    private func tell(_ event: WatchEvent, in room: OpenRoom) {
        var event = event
        event.room = room.name
        watch.tell(event)
    }
}
