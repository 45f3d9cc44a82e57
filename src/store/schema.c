#include "store/schema.h"

#include <stdlib.h>

static const char *const TABLES[] = {
#define TABLE(name, columns) "CREATE TABLE " #name " (" columns ")",
#include "store/schema.def"
};

static const char *const INDEXES[] = {
    "CREATE INDEX claim_by_item ON claim (study, item, first)",
    "CREATE INDEX claim_by_worker ON claim (worker)",
    "CREATE INDEX part_by_worker ON part (worker) WHERE answer IS NULL",
};

bool schema_make(Db *db, Err *err) {
  for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
    if (!db_run(db, TABLES[i], NULL, 0, NULL, NULL, NULL, err)) return false;
  for (size_t i = 0; i < sizeof INDEXES / sizeof *INDEXES; i++)
    if (!db_run(db, INDEXES[i], NULL, 0, NULL, NULL, NULL, err)) return false;
  DbValue version = db_text("1");
  _Static_assert(SCHEMA_VERSION == 1, "write the version here, too");
  return db_run(db, "INSERT INTO meta (name, value) VALUES ('entrain store', $1)", &version, 1,
                NULL, NULL, NULL, err);
}

static bool take_number(void *data, const DbValue *columns, int count) {
  (void)count;
  *(long *)data = columns[0].type == DB_TEXT ? strtol(columns[0].bytes, NULL, 10)
                                             : (long)db_as_int(&columns[0]);
  return true;
}

bool schema_is_there(Db *db, bool *is_there, Err *err) {
  long tables = 0;
  const char *sql =
      db_is_postgresql(db)
          ? "SELECT count(*) FROM pg_catalog.pg_class WHERE relname = 'meta' AND "
            "pg_catalog.pg_table_is_visible(oid)"
          : "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'";
  if (!db_run(db, sql, NULL, 0, take_number, &tables, NULL, err)) return false;
  *is_there = tables > 0;
  return true;
}

bool schema_check(Db *db, const char *place, Err *err) {
  bool is_there;
  long version = 0;
  if (!schema_is_there(db, &is_there, err)) return false;
  if (is_there && !db_run(db, "SELECT value FROM meta WHERE name = 'entrain store'", NULL, 0,
                          take_number, &version, NULL, err))
    return false;
  if (!version)
    return fail(
        err, ERR_FILE,
        "'%s' is a database, but no store of entrain; a store is made by '--store' of a fit "
        "or study",
        place);
  return version == SCHEMA_VERSION ||
         fail(
             err, ERR_FILE,
             "the store '%s' has version %ld of the tables; this program reads version %d. Use the "
             "program that made it",
             place, version, SCHEMA_VERSION);
}
