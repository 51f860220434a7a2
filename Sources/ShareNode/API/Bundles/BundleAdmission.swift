import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// The wish to admit one of the devices that ask in a bundle.
struct BundleAdmission: Sendable {
    let device: String
    let role: Role

    /// Nil where nobody is to be admitted.
    ///
    /// - Throws: `Problem` for too little of a device's id, and for an unknown role.
    init?(device: String?, role: String?) throws {
        guard let device else {
            guard role == nil else {
                throw Problem(
                    .badRequest, "a role is for a device that is admitted",
                    hint: "Say which: --admit DEVICE.")
            }
            return nil
        }
        let role = try role.map { try Role(typed: $0) } ?? .collector
        // Eight characters can be made to match by whoever has the file in hand and a computer.
        guard DeviceText.plain(device).utf8.count >= BundleLimits.comparedCharacters else {
            throw Problem(
                .badRequest,
                "the first \(BundleLimits.comparedCharacters) characters of the id are needed",
                hint: "Compare them with what the device showed as it wrote its request.")
        }
        self.device = device
        self.role = role
    }
}

extension BundleRequestAnswer {
    init(_ request: BundleRequest, in authority: Authority) {
        self.init(
            id: request.key.text, name: request.name, asked: WallClock.text(request.wall),
            role: authority.currentRole(of: request.key)?.name)
    }
}
