// The tables of a store and their version.
#pragma once
#include "store/db.h"

enum { SCHEMA_VERSION = 1 };

bool schema_make(Db *db, Err *err); // in a transaction
// That this program can use it; an error says what is wrong. place: for messages.
bool schema_check(Db *db, const char *place, Err *err);
bool schema_is_there(Db *db, bool *is_there, Err *err);
