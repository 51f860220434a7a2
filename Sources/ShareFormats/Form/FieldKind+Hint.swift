extension FieldKind {
    /// What a person may have meant by a type that is not known.
    static func hint(forUnknown type: String) -> String? {
        switch type.lowercased() {
        case "number", "numeric": return "did you mean integer or decimal?"
        case "percent", "percentage": return "did you mean integer with \"x\": {\"unit\": \"%\"}?"
        case "int", "whole", "long": return "did you mean integer?"
        case "float", "double", "real": return "did you mean decimal?"
        case "string", "multiline", "varchar", "email", "phone", "phonenumber":
            return "did you mean text?"
        case "toggle", "boolean", "bool", "yes_no", "yesno":
            return "did you mean select_one with a list of yes and no?"
        case "list", "select", "choice", "select1": return "did you mean select_one?"
        case "photo", "picture": return "did you mean image?"
        case "datetime", "timestamp": return "did you mean dateTime?"
        default:
            return Suggestion.nearest(to: type, among: FieldKind.names).map {
                "did you mean \($0)?"
            }
        }
    }
}
