package import JSON

/// Counted and computed figures: the answer to `count` and `chart`.
package struct FiguresAnswer: Codable, Hashable, Sendable {
    package var form: String
    package var title: String
    /// The entries that are wanted.
    package var entries: Int
    /// The groupings, at most two.
    package var by: [GroupingAnswer]
    /// The number field that is put together.
    package var field: FieldAnswer?
    /// Entries that have its number, each once: of several choices an entry is in several groups.
    package var n: Int?
    package var groups: [GroupAnswer]
    /// Groups that are left out, and what they come to.
    package var more: Int
    package var rest: GroupAnswer?
    /// Entries that a condition misses, as they answer a field of an earlier version; null for none.
    package var earlier: [EarlierMatch]?
    /// Of those that are wanted, entries that are on this device alone, as its role does not allow
    /// them any more: they are not among those that are counted; null for none.
    package var withheld: Int?
    /// A condition that finds entries where those given find none, as nothing is written exactly so.
    package var alike: AlikeMatch?

    package init(
        form: String, title: String, entries: Int, by: [GroupingAnswer], field: FieldAnswer?,
        groups: [GroupAnswer], more: Int, rest: GroupAnswer?
    ) {
        self.form = form
        self.title = title
        self.entries = entries
        self.by = by
        self.field = field
        self.groups = groups
        self.more = more
        self.rest = rest
    }
}

/// A field in an answer.
package struct FieldAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var unit: String?

    package init(name: String, label: String, unit: String?) {
        self.name = name
        self.label = label
        self.unit = unit
    }
}

/// A grouping of entries: by a field, `_author`, `_state`, or a period of a point in time.
package struct GroupingAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    /// `day`, `week` or `month`.
    package var period: String?

    package init(name: String, label: String, period: String?) {
        self.name = name
        self.label = label
        self.period = period
    }
}

/// A group's value: null in `value` for entries that have none.
package struct KeyAnswer: Codable, Hashable, Sendable {
    package var value: String?
    package var label: String

    package init(value: String?, label: String) {
        self.value = value
        self.label = label
    }
}

/// The figures of a group of entries; a figure that does not exist is null.
package struct GroupAnswer: Codable, Hashable, Sendable {
    package var keys: [KeyAnswer]
    package var entries: Int
    /// Entries with a number, and what their numbers come to.
    package var n: Int?
    package var sum: Double?
    package var mean: Double?
    package var min: Double?
    package var max: Double?
    package var median: Double?

    package init(keys: [KeyAnswer], entries: Int) {
        self.keys = keys
        self.entries = entries
    }
}

/// The figures of fields: the answer to `stats`.
package struct StatsAnswer: Codable, Hashable, Sendable {
    package var form: String
    package var title: String
    package var entries: Int
    package var fields: [FieldStatsAnswer]
    /// Entries that a condition misses, or that have no value in the fields, as they answer a field
    /// of an earlier version; null for none.
    package var earlier: [EarlierMatch]?
    /// As in `FiguresAnswer`.
    package var withheld: Int?

    package init(
        form: String, title: String, entries: Int, fields: [FieldStatsAnswer],
        earlier: [EarlierMatch]? = nil, withheld: Int? = nil
    ) {
        self.earlier = earlier
        self.withheld = withheld
        self.form = form
        self.title = title
        self.entries = entries
        self.fields = fields
    }
}

/// One field's figures; null where there is none.
package struct FieldStatsAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var unit: String?
    /// Entries with a value, and without.
    package var n: Int
    package var missing: Int
    /// Those of the missing whose value is no finite number, as a division by 0 leaves it.
    package var notFinite: Int
    package var distinct: Int
    package var sum: Double?
    package var mean: Double?
    /// Entries that have the number and the weight, where the mean is weighted.
    package var weighted: Int?
    /// A number, or the text of a date or a time.
    package var min: JSONValue?
    package var q1: Double?
    package var median: Double?
    package var q3: Double?
    package var max: JSONValue?

    package init(
        name: String, label: String, unit: String?, n: Int, missing: Int, notFinite: Int,
        distinct: Int
    ) {
        self.name = name
        self.label = label
        self.unit = unit
        self.n = n
        self.missing = missing
        self.notFinite = notFinite
        self.distinct = distinct
    }
}

/// The numbers of a chart.
package struct ChartAnswer: Codable, Hashable, Sendable {
    /// `pie`, `bar`, `line`, `histogram` or `points`.
    package var kind: String
    package var field: FieldAnswer
    /// `count`, `sum`, `mean`, `min`, `max` or `median`.
    package var agg: String
    /// For all but histograms and points of one colour.
    package var figures: FiguresAnswer?
    package var histogram: HistogramAnswer?
    package var points: [PointAnswer]?
    /// The entries that are wanted; the room that they are of; when they were counted.
    package var entries: Int
    package var form: String
    package var title: String
    package var room: String
    package var time: String
    /// Entries that a condition misses, or that have no value in the fields, as they answer a field
    /// of an earlier version; null for none.
    package var earlier: [EarlierMatch]?
    /// As in `FiguresAnswer`.
    package var withheld: Int?

    package init(
        kind: String, field: FieldAnswer, agg: String, entries: Int, form: String, title: String,
        room: String, time: String
    ) {
        self.kind = kind
        self.field = field
        self.agg = agg
        self.entries = entries
        self.form = form
        self.title = title
        self.room = room
        self.time = time
    }
}

/// Numbers by ranges of equal width.
package struct HistogramAnswer: Codable, Hashable, Sendable {
    package var min: Double
    package var max: Double
    /// Numbers that there are, and whether all are whole by their type.
    package var n: Int
    package var isWhole: Bool
    package var start: Double
    package var width: Double
    package var counts: [Int]

    package init(
        min: Double, max: Double, n: Int, isWhole: Bool, start: Double, width: Double,
        counts: [Int]
    ) {
        self.min = min
        self.max = max
        self.n = n
        self.isWhole = isWhole
        self.start = start
        self.width = width
        self.counts = counts
    }
}

/// A place, and how many entries are there.
package struct PointAnswer: Codable, Hashable, Sendable {
    package var longitude: Double
    package var latitude: Double
    package var entries: Int
    /// Where colours tell points apart: the place in `figures.groups` of the one they are of.
    package var group: Int?

    package init(longitude: Double, latitude: Double, entries: Int, group: Int? = nil) {
        self.group = group
        self.longitude = longitude
        self.latitude = latitude
        self.entries = entries
    }
}

/// Entries of each member by day.
package struct ActivityAnswer: Codable, Hashable, Sendable {
    /// Oldest first, the last is today.
    package var days: [String]
    package var members: [Member]

    package init(days: [String], members: [Member]) {
        self.days = days
        self.members = members
    }

    /// One member's entries, a count for each of the days.
    package struct Member: Codable, Hashable, Sendable {
        package var device: String
        package var name: String
        package var counts: [Int]

        package init(device: String, name: String, counts: [Int]) {
            self.device = device
            self.name = name
            self.counts = counts
        }
    }
}

/// The hits of a search, grouped by form, the form with most hits first.
package struct SearchAnswer: Codable, Hashable, Sendable {
    package var text: String
    package var forms: [SearchFormAnswer]
    /// Choices of lists that the room's views of kind `search` name.
    package var lists: [SearchListAnswer]
    package var found: Int
    /// Entries that are not in the index yet and were read one by one.
    package var unindexed: Int
    /// Those of them that were not read: they are in soon.
    package var unsearched: Int

    package init(
        text: String, forms: [SearchFormAnswer], lists: [SearchListAnswer], found: Int,
        unindexed: Int, unsearched: Int
    ) {
        self.text = text
        self.forms = forms
        self.lists = lists
        self.found = found
        self.unindexed = unindexed
        self.unsearched = unsearched
    }
}

/// The choices of a list in which a text was found, by a column of the list.
package struct SearchListAnswer: Codable, Hashable, Sendable {
    package var list: String
    package var title: String
    /// In the order of the list, as are the choices in each.
    package var groups: [Group]

    package init(list: String, title: String, groups: [Group]) {
        self.list = list
        self.title = title
        self.groups = groups
    }

    /// The choices that have one value in the column.
    package struct Group: Codable, Hashable, Sendable {
        package var name: String
        package var choices: [String]

        package init(name: String, choices: [String]) {
            self.name = name
            self.choices = choices
        }
    }
}

/// The hits in the entries of one form, the best first.
package struct SearchFormAnswer: Codable, Hashable, Sendable {
    package var form: String
    package var title: String
    /// Of very many only so many are counted; `isMore` says that there are more.
    package var found: Int
    package var isMore: Bool
    package var hits: [SearchHitAnswer]

    package init(
        form: String, title: String, found: Int, isMore: Bool, hits: [SearchHitAnswer]
    ) {
        self.form = form
        self.title = title
        self.found = found
        self.isMore = isMore
        self.hits = hits
    }
}

/// An entry in which a text was found.
package struct SearchHitAnswer: Codable, Hashable, Sendable {
    package var id: String
    /// The values by which people know it; may be empty.
    package var key: String
    package var author: String
    package var field: String
    package var label: String
    /// The text with some words around.
    package var around: String

    package init(
        id: String, key: String, author: String, field: String, label: String, around: String
    ) {
        self.id = id
        self.key = key
        self.author = author
        self.field = field
        self.label = label
        self.around = around
    }
}

/// The last searches of this device, newest first.
package struct SearchesAnswer: Codable, Hashable, Sendable {
    package var searches: [String]

    package init(searches: [String]) { self.searches = searches }
}
