extension Schema {
    /// `node.sqlite`: what belongs to the device rather than to a room.
    static let node = Schema(steps: [
        """
        CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
        CREATE TABLE room(
            id BLOB PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
            autopush INTEGER NOT NULL, joining INTEGER NOT NULL, gone INTEGER NOT NULL) STRICT;
        CREATE TABLE device(
            key BLOB PRIMARY KEY, name TEXT NOT NULL, last_seen INTEGER,
            addresses TEXT NOT NULL) STRICT;
        CREATE TABLE invite(selector TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
        """,
        """
        -- With its founding batch a room whose file is lost can be filled again by its members.
        CREATE TABLE founding(
            room BLOB PRIMARY KEY, batch BLOB NOT NULL, refilling INTEGER NOT NULL) STRICT;
        """,
    ])
}
