internal import ShareControl

/// A place where an interview may stop.
enum Stop: Hashable {
    /// A question, by the path of its field.
    case field(String)
    /// A text that is only read.
    case note(String)
    /// One more repetition, by the path of the repeat.
    case more(String)
    /// An answer that somebody else has changed meanwhile, by its path.
    case changed(String)
}

/// The way through a form as it is now: all places in their order, also those that are passed by.
struct Stops {
    struct Position {
        let stop: Stop
        let isAsked: Bool
    }

    private(set) var places: [Position] = []

    /// Kinds of field that nobody is asked for: the device fills them in, the form computes them,
    /// or there is nothing to type yet.
    private static let silent: Set<String> = [
        "calculate", "hidden", "start", "end", "today", "deviceid", "username", "image", "audio",
        "video", "file",
    ]

    /// Whether people answer it: neither the device nor the form fills it in.
    static func isAnswered(_ field: EntryField) -> Bool {
        !field.isReadOnly && !silent.contains(field.type) && field.type != "note"
    }

    init(_ state: EntryStateAnswer) {
        var open: [EntryField] = []
        func close() {
            guard let last = open.popLast() else { return }
            places.append(
                Position(
                    stop: .more(last.path),
                    isAsked: last.isRelevant && last.repeat?.canAdd == true))
        }
        for field in state.fields {
            while let last = open.last, !field.path.hasPrefix("\(last.path)[") { close() }
            if field.repeat != nil {
                open.append(field)
            } else if field.type == "note" {
                places.append(Position(stop: .note(field.path), isAsked: field.isRelevant))
            } else {
                places.append(
                    Position(
                        stop: .field(field.path),
                        isAsked: field.isRelevant && !field.isReadOnly
                            && (!Self.silent.contains(field.type) || field.isRequired)))
            }
        }
        while !open.isEmpty { close() }
    }

    /// The paths of all questions, in their order.
    var questions: [String] {
        places.compactMap { place in
            if case .field(let path) = place.stop, place.isAsked { return path }
            return nil
        }
    }

    /// What comes behind a stop; from the start for nil or one that is no more.
    func after(_ stop: Stop?) -> ArraySlice<Position> {
        guard let index = places.firstIndex(where: { $0.stop == stop }) else { return places[...] }
        return places[(index + 1)...]
    }

    /// The first question of the repetition with that path.
    func first(inside path: String) -> Stop? {
        places.first { place in
            if case .field(let field) = place.stop, place.isAsked {
                return field.hasPrefix("\(path)/")
            }
            return false
        }?.stop
    }
}
