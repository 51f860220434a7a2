/// What an invite has done for one device.
package enum InviteUse: Hashable, Sendable {
    /// The device has accepted; its grant is being written, or was when this device stopped.
    case accepted
    /// The grant that it got, and gets again if it asks again.
    case granted(OperationName)
}
