/// This device has not the role any more that a command looked for when it began: a change of it
/// arrived while sealing was paused.
struct RoleLost: Error {}
