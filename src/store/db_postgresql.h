// PostgreSQL behind store/db.h. libpq is loaded when the first URL is opened.
#pragma once
#include "store/db_kind.h"

extern const DbKind DB_POSTGRESQL;
