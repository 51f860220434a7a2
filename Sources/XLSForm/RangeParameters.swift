internal import JSON
internal import ShareFormats

/// The parameters of a `range`. Where they are left out XLSForm means other ones than forms here: 1 to
/// 10 in steps of 1, and any number from 0 to 10.
enum RangeParameters {
    /// Those of a row of an XLSForm, all of them written out.
    static func read(_ given: JSONValue?) -> JSONValue {
        var parameters = given?.object ?? JSONObject()
        for (name, value) in [("start", "1"), ("end", "10"), ("step", "1")]
        where parameters[name] == nil {
            parameters[name] = .string(value)
        }
        return .object(parameters)
    }

    /// Those of a form here as other programs have to be told. A slider needs steps: where any number
    /// will do, it has a hundred of them, or more where they are whole.
    static func written(_ given: JSONObject?) -> JSONObject {
        var parameters = given ?? JSONObject()
        for (name, value) in [("start", "0"), ("end", "10")] where parameters[name] == nil {
            parameters[name] = .string(value)
        }
        guard parameters["step"] == nil else { return parameters }
        func number(_ name: String) -> Double {
            parameters[name]?.plainText.flatMap(Double.init) ?? 0
        }
        let (start, end) = (number("start"), number("end"))
        let spread = abs(end - start)
        let isWhole = start == start.rounded() && end == end.rounded()
        let step = isWhole && spread > 100 ? 1 : spread / 100
        parameters["step"] = .string(step > 0 && step.isFinite ? NumberText.shortest(step) : "1")
        return parameters
    }
}
