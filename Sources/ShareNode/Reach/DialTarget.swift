import ShareCrypto
import ShareNet

/// Whom or what to dial: a device, or an address whose device is not known yet.
enum DialTarget: Hashable, Sendable {
    case device(DeviceKey)
    case address(Endpoint)
}
