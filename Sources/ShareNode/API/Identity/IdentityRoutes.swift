import ShareControl
import ShareCore
import ShareCrypto

/// The routes about this device's identity.
extension ControlRoutes {
    func registerIdentity(_ router: inout Router) {
        router.on(.get, "/v1/identity") { _ in
            await answer(json: { await identity() })
        }
        router.on(.post, "/v1/identity") { _ in
            await answer {
                let answer = try await node.renewIdentity()
                await node.renewal.restart()
                return HTTPResponse(body: answer.jsonText)
            }
        }
    }

    private func identity() async -> IdentityAnswer {
        let own = node.identity.key
        return IdentityAnswer(
            device: await node.named(own), fingerprint: Self.fingerprint(own),
            former: node.formerKeys.map(\.text),
            isChanging: node.data.hasNextIdentity)
    }

    /// The whole key in groups of four, to be read out and compared.
    private static func fingerprint(_ key: DeviceKey) -> String {
        let digits = Array(Base32.encode(key.bytes))
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(digits[$0..<min($0 + 4, digits.count)]) }.joined(separator: " ")
    }
}
