/// What a reference of the dns_sd layer reports.
enum ServiceReply: Sendable {
    /// Nothing more will come from this reference.
    case failed(code: Int32)
    case registered(name: String)
    case browsed(Sighting, added: Bool)
    case resolved(host: String, port: UInt16, text: [UInt8])
    case record(type: UInt16, bytes: [UInt8], added: Bool)
}
