extension RandomAccessCollection {
    /// The place behind all elements for which `isBefore` holds: those come first.
    ///
    /// - Complexity: O(log n).
    func end(where isBefore: (Element) -> Bool) -> Index {
        var (start, length) = (startIndex, count)
        while length > 0 {
            let middle = index(start, offsetBy: length / 2)
            if isBefore(self[middle]) {
                start = index(after: middle)
                length -= length / 2 + 1
            } else {
                length /= 2
            }
        }
        return start
    }
}
