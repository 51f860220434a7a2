/// Calls: first those that look at nodes or leave an argument out, then those of values.
extension Evaluator {
    /// No text that an expression makes is longer.
    static let longestText = 65_536

    mutating func call(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Operand {
        switch function {
        case .condition:
            return try operand(try isTrue(arguments[0], focus) ? arguments[1] : arguments[2], focus)
        case .coalesce:
            let first = try value(arguments[0], focus)
            return first.isEmpty ? try operand(arguments[1], focus) : .value(first)
        case .once:
            // Evaluated in any case, so that an error shows before the field has a value.
            let first = try operand(arguments[0], focus)
            let answer = try value(of: focus.node)
            return answer == .empty ? first : .value(answer)
        case .indexedRepeat:
            return .nodes(try indexed(arguments, focus))
        case .count, .countNonEmpty, .sum, .position, .last, .area, .enclosedArea, .distance,
            .geofence, .choiceName, .pulldata:
            return .value(try nodeFunction(function, arguments, focus))
        case .min, .max, .concat, .join:
            return .value(try aggregate(function, arguments, focus))
        case .today, .now, .date, .dateTime, .decimalDateTime, .decimalTime, .formatDate,
            .formatDateTime:
            return .value(try dateFunction(function, arguments, focus))
        case .differenceInYears, .differenceInMonths, .differenceInWeeks, .differenceInDays,
            .plainDifferenceInMonths, .addDate:
            return .value(try calendarFunction(function, arguments, focus))
        case .yes: return .value(.boolean(true))
        case .no: return .value(.boolean(false))
        case .boolean: return .value(.boolean(try isTrue(arguments[0], focus)))
        case .not: return .value(.boolean(try !isTrue(arguments[0], focus)))
        case .booleanFromString:
            let text = try text(arguments[0], focus)
            let lower = text.map { $0 | 0x20 }
            return .value(
                .boolean(text.isEqual(to: "1") || text.count == 4 && lower.isEqual(to: "true")))
        case .version: return .value(.string(context.version))
        case .property:
            return .value(.string(context.property(try text(arguments[0], focus)) ?? []))
        case .number, .int, .round, .abs, .pow, .floor, .ceiling, .random, .sqrt, .exp, .exp10,
            .log, .log10, .sin, .cos, .tan, .asin, .acos, .atan, .atan2, .pi:
            return .value(.number(try numberFunction(function, arguments, focus)))
        case .string, .substr, .substring, .substringBefore, .substringAfter, .contains,
            .startsWith, .endsWith, .stringLength, .translate, .normalizeSpace, .regex, .uuid,
            .selected, .isSelected, .countSelected, .selectedAt:
            return .value(try textFunction(function, arguments, focus))
        }
    }

    /// The nodes of an argument that must be a path.
    mutating func nodeArgument(
        _ id: Term.ID, _ focus: Focus
    ) throws(EvaluationError) -> [Node] {
        guard case .nodes(let nodes) = try operand(id, focus) else {
            throw EvaluationError(.mismatch, at: terms[id].offset)
        }
        return nodes
    }

    /// The values of all arguments; of all nodes where there is one argument and it is a path.
    mutating func values(
        _ arguments: ArraySlice<Term.ID>, _ focus: Focus
    ) throws(EvaluationError) -> [Value] {
        if arguments.count == 1, let only = arguments.first, terms[only].type == .nodes {
            let nodes = try nodeArgument(only, focus)
            var values: [Value] = []
            for node in nodes { values.append(try value(of: node)) }
            return values
        }
        var values: [Value] = []
        for argument in arguments { values.append(try value(argument, focus)) }
        return values
    }

    private mutating func aggregate(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        if function == .concat { return .string(try joined(try values(arguments[...], focus), [])) }
        if function == .join {
            let separator = try text(arguments[0], focus)
            return .string(try joined(try values(arguments[1...], focus), separator))
        }
        var best = Double.nan
        for value in try values(arguments[...], focus) {
            let number = try number(value)
            if number.isNaN { continue }
            if best.isNaN || (function == .max ? number > best : number < best) { best = number }
        }
        return .number(best)
    }

    private mutating func joined(
        _ values: [Value], _ separator: [UInt8]
    ) throws(EvaluationError) -> [UInt8] {
        var text: [UInt8] = []
        for (index, value) in values.enumerated() {
            try budget.spend(2)
            if index > 0 { text += separator }
            text += try self.text(value)
            guard text.count <= Evaluator.longestText else { throw EvaluationError(.tooLong) }
        }
        return text
    }

    private mutating func nodeFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        switch function {
        case .count:
            return .number(Double(try nodeArgument(arguments[0], focus).count))
        case .countNonEmpty:
            let nodes = try nodeArgument(arguments[0], focus)
            var count = 0
            for node in nodes
            where try !value(of: node).isEmpty || context.count(of: node, named: nil) > 0 {
                count += 1
            }
            return .number(Double(count))
        case .sum:
            let nodes = try nodeArgument(arguments[0], focus)
            var sum = 0.0
            for node in nodes {
                let number = try number(try value(of: node))
                if !number.isNaN { sum += number }
            }
            return .number(sum)
        case .position:
            guard let path = arguments.first else {
                return .number(Double(focus.position ?? context.position(of: focus.node)))
            }
            let found: [Node]
            if case .path(let nodes) = terms[path].kind {
                // The field's own repetition has its place also while it is not relevant, as it may
                // be for that.
                found = try allNodes(nodes, focus, at: terms[path].offset).filter {
                    context.isRelevant($0) || isAround($0, focus.node)
                }
            } else {
                found = try nodeArgument(path, focus)
            }
            return .number(found.first.map { Double(context.position(of: $0)) } ?? 0)
        case .last:
            guard let count = focus.count else { throw EvaluationError(.mismatch) }
            return .number(Double(count))
        case .choiceName:
            let value = try text(arguments[0], focus)
            // The field is looked for among all.
            try budget.spend(100)
            guard case .path(let path) = terms[arguments[1]].kind, let names = names(path, focus)
            else { return .empty }
            return .string(context.label(ofChoice: value, inFieldAt: names) ?? [])
        case .pulldata:
            return try pulled(arguments, focus)
        default:
            return try geoFunction(function, arguments, focus)
        }
    }

    /// `pulldata(list, column, key column, key)`: the column of the first item with the key; nothing
    /// while there is no key.
    private mutating func pulled(
        _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        let list = try text(arguments[0], focus)
        let column = try text(arguments[1], focus)
        let keyColumn = try text(arguments[2], focus)
        let key = try text(arguments[3], focus)
        guard let document = context.document(list) else { throw EvaluationError(.missing) }
        guard !key.isEmpty else { return .empty }
        for root in context.children(of: document, named: nil) {
            let name = [UInt8]("item")
            try budget.spend(context.lookupCost(of: root, where: keyColumn).steps)
            if let found = context.children(
                of: root, named: name, where: keyColumn, equals: key, limit: 1)
            {
                return try first(column, of: found.first)
            }
            for item in try children(of: root, named: name) {
                try budget.spend(1 + context.cost(of: item))
                if try text(try first(keyColumn, of: item)) == key {
                    return try first(column, of: item)
                }
            }
        }
        return .empty
    }

    private mutating func first(
        _ column: [UInt8], of item: Node?
    ) throws(EvaluationError) -> Value {
        let cell = item.flatMap { context.children(of: $0, named: column).first }
        return try cell.map { node throws(EvaluationError) in try value(of: node) } ?? .empty
    }
}
