import ShareControl
import ShareCore

extension Problem {
    /// Why a join with one device failed.
    init(_ failure: JoinFailure) {
        switch failure {
        case .refused(let refusal): self.init(refusal)
        case .unproven:
            self.init(
                .wrongCode, "the device that answered does not know the code",
                hint: "Look at the code again; if it is right, somebody on this network pretends"
                    + " to be the inviter.")
        case .notARoom:
            self.init(.noInvite, "the device that answered showed no room of its own")
        case .otherRoom(let room):
            self.init(
                .noInvite, "that code leads to another room (\(room.short))",
                hint: "Ask for a code of the room that you named.")
        case .violation:
            self.init(
                .noInvite, "the device that answered does not follow the protocol",
                hint: "It may run another release.")
        case .late, .connectionLost:
            self.init(
                .timedOut, "the connection to the inviter was lost",
                hint: "Try again with the same code: nothing was used up.")
        case .storage:
            self.init(.storage, "the room could not be written down", hint: "Is the disk full?")
        }
    }

    private init(_ refusal: JoinRefusal) {
        switch refusal {
        case .noInvite:
            self.init(
                .noInvite, "nobody in reach has made this code, or it has ended",
                hint: "Codes live ten minutes and admit one device; ask for a new one.")
        case .wrongCode(let left):
            self.init(
                left > 0 ? .wrongCode : .inviteEnded,
                left > 0
                    ? "wrong code; \(left) more \(left == 1 ? "try" : "tries")"
                    : "wrong code; the invite has ended",
                hint: left > 0 ? "Look at it again." : "Ask for a new code.")
        case .busy:
            self.init(.busy, "somebody else is joining with this code just now", hint: "Try again.")
        case .tooMany:
            self.init(
                .tooManyAttempts, "too many tries from this device", hint: "Wait a minute.")
        case .ownKey:
            self.init(
                .badRequest, "that code is this device's own",
                hint: "Enter it on the other device.")
        case .violation, .unavailable, .late:
            self.init(
                .timedOut, "the inviter could not go on (\(refusal.name))",
                hint: "Try again; its log says why.")
        }
    }
}
