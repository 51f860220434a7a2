package import ShareCore
package import ShareCrypto

/// Why the store did not do what it was asked.
package enum StoreError: Error, Hashable, Sendable {
    /// The file was written by a newer release.
    case newerSchema(found: Int, known: Int)
    /// The file was written before the first release, in a form that is not read any more.
    case olderSchema(found: Int, known: Int)
    /// The file is a room's, but not this one's.
    case otherRoom
    /// The file holds entries that another device has made and not sealed.
    case otherDevice(DeviceKey)
    /// The file holds no founding batch.
    case notARoom
    /// The batch that founded the room, and with it all others, is not in the file.
    case unfounded
    /// Rows have changed since the moment of a `RowsMark`.
    case rowsChanged
    /// The file that is open is not the one of its name any more: it was deleted or replaced.
    case replaced
    /// There is no file of that name.
    case missing
    /// Not even the founding batch can be read from the file.
    case unusable
    /// A row of a table in the file of that path is not what can have been written there.
    case damagedTable(String, String)
    /// A batch in the file cannot be read back.
    case damaged(String)
    /// Our own log is known to have gone further elsewhere; those batches come first.
    ///
    /// - Parameter hasLost: whether they were lost here, with the room's file or out of it.
    case sealingBlocked(hasLost: Bool)
    /// The file is known to be damaged: nothing is sealed before it is made anew.
    case needsRebuild
    /// The device's identity is being changed: whoever goes on has opened the file anew.
    case retired
    /// This device may not do that in this room.
    case notAllowed(String)
    /// Every device would refuse it.
    case refused(Refusal)
    /// The scope of this device does not reach so far: to the form, or to another value of the
    /// field than those allowed.
    case outsideScope(form: String, field: String?, allowed: [String])
    case unknownForm(String)
    /// No record of that id.
    case unknownRecord(String)
    /// Less of a record's id than may name one.
    case shortRecord(String)
    /// Several records answer to an id.
    case ambiguousRecord([RecordName])
    /// The value does not fit the field's type.
    case wrongType(field: String)
    /// The form has no field of that name.
    case unknownField(String)
    /// One operation would not fit into a batch.
    case tooLarge
}
