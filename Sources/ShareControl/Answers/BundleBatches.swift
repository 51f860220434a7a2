/// What became of the batches in a bundle.
package struct BundleBatches: JSONConvertible {
    /// In the file, as far as it could be read.
    package var inFile: Int
    package var new: Int
    package var known: Int
    /// A batch before it is missing, or its author is not admitted as far as is known here.
    package var waiting: Int
    /// Beyond what still counts of a removed device. They count for nothing; an owner's device
    /// keeps them, so that they can be accepted, others leave them out.
    package var beyond: Int
    /// Of another room.
    package var refused: Int
    /// No batches at all: changed or cut.
    package var damaged: Int

    package init(
        inFile: Int = 0, new: Int = 0, known: Int = 0, waiting: Int = 0, beyond: Int = 0,
        refused: Int = 0, damaged: Int = 0
    ) {
        self.inFile = inFile
        self.new = new
        self.known = known
        self.waiting = waiting
        self.beyond = beyond
        self.refused = refused
        self.damaged = damaged
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        inFile = try object.get("in_file")
        new = try object.get("new")
        known = try object.get("known")
        waiting = try object.get("waiting")
        beyond = try object.find("beyond") ?? 0
        refused = try object.get("refused")
        damaged = try object.get("damaged")
    }

    package var json: JSONValue {
        [
            "in_file": inFile.json, "new": new.json, "known": known.json,
            "waiting": waiting.json, "beyond": beyond.json, "refused": refused.json,
            "damaged": damaged.json,
        ]
    }
}
