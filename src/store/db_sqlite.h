// SQLite behind store/db.h.
#pragma once
#include "store/db_kind.h"

extern const DbKind DB_SQLITE;

// Where SQLite cannot lock files: the name of a network file system by the f_type of statfs and, for FUSE, by its type in
// /proc/self/mountinfo (may be NULL). NULL: none of them.
const char *sqlite_network_name(long f_type, const char *mount_type);
