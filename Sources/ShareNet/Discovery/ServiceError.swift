/// An error of the dns_sd layer, by its number in `dns_sd.h`.
struct ServiceError: Error, Equatable {
    let code: Int32
}

extension ServiceError {
    /// The instance's name is taken on this machine.
    var isNameConflict: Bool { code == -65_548 }
}
