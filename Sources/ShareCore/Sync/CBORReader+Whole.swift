extension Array<UInt8> {
    /// Reads the bytes as one CBOR item, with nothing after it.
    func readCBOR<Value>(
        _ body: (inout CBORReader) throws(CBORError) -> Value
    ) throws(CBORError) -> Value {
        let result: Result<Value, CBORError> = withUnsafeBytes { buffer in
            do throws(CBORError) {
                var reader = CBORReader(buffer)
                let value = try body(&reader)
                try reader.finish()
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
