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
        case .otherRoom(let room, let name):
            self.init(
                .notFoundRoom,
                "that code leads to another room: \(Self.label(name, room)) (\(room.short))",
                hint: "If that is the room you want: `shared join CODE`. The code still holds."
            )
        case .alreadyMember(_, let name, let role):
            self.init(
                .alreadySo, "this device is in \(name) already, as \(role.name)",
                hint: "Use it with `shared use \(name)`; a code can only give it more than it has.")
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

    /// The name that somebody else gives a room, as far as it is a name at all.
    private static func label(_ name: String, _ room: RoomID) -> String {
        (try? RoomName.checked(name)) ?? room.short
    }

    private init(_ refusal: JoinRefusal) {
        switch refusal {
        case .noInvite:
            self.init(
                .noInvite, "this code is not valid here",
                hint:
                    "It is mistyped or too old, its device is not on this Wi-Fi, or this device has"
                    + " left the room since it used it. Ask for a new one.")
        case .wrongCode(let left):
            self.init(
                left > 0 ? .wrongCode : .inviteEnded,
                left > 0
                    ? "wrong code; \(left) more \(left == 1 ? "try" : "tries")"
                    : "wrong code; the invite has ended",
                hint: left > 0 ? "Look at it again." : "Ask for a new code.")
        case .busy:
            self.init(.busy, "somebody else is joining with this code just now", hint: "Try again.")
        case .tooMany(let seconds):
            self.init(
                .tooManyAttempts, "too many devices joined, or tried to, in this minute",
                hint: "Try again in \(seconds > 0 ? "\(seconds) s" : "a minute").")
        case .ownKey:
            self.init(
                .ownDevice, "that code is this device's own",
                hint: "Enter it on the other device.")
        case .notOpen:
            self.init(
                .codeNeeded, "the room is not open any more",
                hint: "Ask somebody in it for a code: `shared invite`.")
        case .removed:
            self.init(
                .notAllowed,
                "an owner has removed this device from the room, or given it a lower role",
                hint: "It can come back with a code: an owner runs `shared invite`.")
        case .notAllowed:
            self.init(
                .notAllowed, "who made this code may not admit devices with its role any more",
                hint: "Ask an owner of the room for a code: shared invite")
        case .violation, .unavailable, .late:
            self.init(
                .timedOut, "the inviter could not go on (\(refusal.name))",
                hint: "Try again; its log says why.")
        }
    }
}
