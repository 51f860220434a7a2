package import Expressions

/// What is around an entry: the moment, the device, the room's lists.
package struct EntrySetting {
    package internal(set) var now: Moment
    /// Milliseconds that local time is ahead of UTC.
    package let offset: (Moment) -> Int64
    package let deviceID: String
    package let username: String
    package let randomBits: () -> UInt64
    /// A list that does not lie in the form, by its name: a file's without ending, `@form:FORM`.
    package let list: (String) -> (any ChoiceRows)?

    /// Whether it is wrong to name an entry of another form that is not among the choices. It is
    /// not where a kept entry is looked at: the other one may be on its way.
    package var judgesEntries = true

    package init(
        now: Moment, offset: @escaping (Moment) -> Int64, deviceID: String, username: String,
        randomBits: @escaping () -> UInt64,
        list: @escaping (String) -> (any ChoiceRows)? = { _ in nil }
    ) {
        self.now = now
        self.offset = offset
        self.deviceID = deviceID
        self.username = username
        self.randomBits = randomBits
        self.list = list
    }
}
