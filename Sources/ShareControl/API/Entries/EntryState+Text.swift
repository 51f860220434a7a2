package import JSON

/// The text of what an answer of the state call has hundreds of.

extension EntryField {
    package func write(to writer: inout JSONWriter) {
        writer.raw("{")
        writer.member("path", path)
        writer.member("name", name)
        writer.member("type", type)
        writer.member("label", label)
        writer.member("hint", hint)
        writer.member("unit", unit)
        writer.member("group", group)
        writer.member("relevant", isRelevant)
        writer.member("required", isRequired)
        writer.member("read_only", isReadOnly)
        writer.member("value", value)
        writer.member("display", display)
        writer.member("message", message)
        writer.member("warning", warning)
        writer.member("tip", tip)
        writer.member("choices", choices)
        writer.member("choices_total", choicesTotal)
        writer.member("choices_more", choicesMore)
        writer.member("choices_with", choicesWith)
        writer.member("choices_assigned", choicesAssigned)
        writer.member("repeat", `repeat`)
        writer.member("earlier", earlier)
        writer.member("last_saved", lastSaved)
        writer.member("awaits_default", awaitsDefault)
        writer.member("follows_answers", followsAnswers)
        writer.raw("}")
    }
}

extension EntryField.Earlier {
    package func write(to writer: inout JSONWriter) {
        writer.raw("{")
        writer.member("version", version)
        writer.member("value", value)
        writer.raw("}")
    }
}

extension EntryChoice {
    package func write(to writer: inout JSONWriter) {
        writer.raw("{")
        writer.member("name", name)
        writer.member("label", label)
        writer.raw("}")
    }
}

extension EntryRepeat {
    package func write(to writer: inout JSONWriter) {
        writer.raw("{")
        writer.member("count", count)
        writer.member("min", min)
        writer.member("max", max)
        writer.member("can_add", canAdd)
        writer.member("left_out", leftOut)
        writer.raw("}")
    }
}
