import JSON
import ShareControl
import ShareCore
import ShareCrypto

/// The routes about this device's identity.
struct IdentityRoutes: Sendable {
    let requests: Requests
    let own: OwnDevice
    let rotation: IdentityRotation

    func register(on router: inout Router) {
        router.on(.get, "/v1/identity") { _ in
            await requests.answer(json: { identity() })
        }
        router.on(.post, "/v1/identity") { _ in
            await requests.answer(json: {
                let answer = try await rotation.run()
                await rotation.restart()
                return answer
            })
        }
    }

    private func identity() -> IdentityAnswer {
        IdentityAnswer(
            device: NamedDevice(id: own.key.text, name: own.name),
            fingerprint: Self.fingerprint(own.key), former: own.formerKeys.map(\.text),
            isChanging: rotation.isCutOff)
    }

    /// The whole key in groups of four, to be read out and compared.
    private static func fingerprint(_ key: DeviceKey) -> String {
        let digits = Array(Base32.encode(key.bytes))
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(digits[$0..<min($0 + 4, digits.count)]) }.joined(separator: " ")
    }
}
