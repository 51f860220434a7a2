/// What a block refers to, each listed once and named by its place; the first is implied and
/// not written.
struct ReferenceTable<Element: Hashable> {
    private var places: [Element: Int]
    private var listed: [Element] = []

    init(first: Element) { places = [first: 0] }

    mutating func add(_ element: Element) {
        guard places[element] == nil else { return }
        listed.append(element)
        places[element] = listed.count
    }

    /// The place of an element that was added before.
    func index(of element: Element) -> Int {
        guard let place = places[element] else {
            preconditionFailure("every reference is listed before it is used")
        }
        return place
    }

    func write(to writer: inout CBORWriter, bytes: (Element) -> [UInt8]) {
        writer.array(listed.count)
        for element in listed { writer.write(bytes: bytes(element)) }
    }
}
