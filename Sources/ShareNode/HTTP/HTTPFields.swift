/// Names and values in the order they came: the headers or the query of a request.
package struct HTTPFields: Sendable, Equatable {
    /// One name with its value.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var all: [Field] = []

    package init() {}

    package init(_ fields: [Field]) {
        all = fields
    }

    /// The first value of that name, compared without ASCII case; nil if there is none.
    package subscript(_ name: String) -> String? {
        all.first { HTTPFields.same($0.name, name) }?.value
    }

    /// Every value of that name, in order.
    package func values(of name: String) -> [String] {
        all.filter { HTTPFields.same($0.name, name) }.map(\.value)
    }

    mutating func append(_ name: String, _ value: String) {
        all.append(Field(name, value))
    }

    static func same(_ left: String, _ right: String) -> Bool {
        left == right || left.lowercased() == right.lowercased()
    }
}
