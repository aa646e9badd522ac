/*
 * sqlite_schema.c: the tables of the SQLite store and their migrations, as SQL.
 *
 * The ledger is append-only for every client, including the sqlite3 shell: triggers refuse every
 * change of a row.
 */
#include "base/count.h"
#include "store/sqlite_private.h"

#define ON_CHANGE(table, what, when)                                                               \
	"CREATE TRIGGER " table "_" what " AFTER " when " ON " table                               \
	" BEGIN UPDATE change SET version = version + 1; END;"

/* Increments the version itself, although ON_CHANGE does so too: the order of a table's triggers is
 * not defined, and the version that is recorded for the project must be a new one. */
#define ON_NEWS(table, kind, what, when, row)                                                      \
	"CREATE TRIGGER " table "_news_" what " AFTER " when " ON " table " BEGIN"                 \
	" UPDATE change SET version = version + 1;"                                                \
	" INSERT INTO change_of_project SELECT " kind ", " row ".project_id, 0"                    \
	"  WHERE NOT EXISTS (SELECT 1 FROM change_of_project"                                      \
	"   WHERE kind = " kind " AND project_id = " row ".project_id);"                           \
	" UPDATE change_of_project SET version = (SELECT version FROM change)"                     \
	"  WHERE kind = " kind " AND project_id = " row ".project_id;"                             \
	" END;"

const char *const sqlite_schema_migrations[] = {
	"CREATE TABLE key ("
	" id INTEGER PRIMARY KEY,"
	" prefix TEXT NOT NULL UNIQUE,"
	" hash BLOB NOT NULL,"
	" name TEXT NOT NULL,"
	" credit_cents INTEGER NOT NULL,"
	" streams_max INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" revoked_ms INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE turn ("
	" seq INTEGER PRIMARY KEY,"
	" id TEXT NOT NULL UNIQUE,"
	" key_id INTEGER REFERENCES key (id),"
	" at_ms INTEGER NOT NULL,"
	" status TEXT NOT NULL,"
	" samples INTEGER NOT NULL,"
	" sample_rate INTEGER NOT NULL,"
	" characters INTEGER NOT NULL,"
	" voice_id INTEGER NOT NULL,"
	" model_id TEXT NOT NULL,"
	" amount_microcents INTEGER NOT NULL"
	") STRICT;"
	"CREATE TRIGGER turn_is_never_changed BEFORE UPDATE ON turn"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	"CREATE TRIGGER turn_is_never_deleted BEFORE DELETE ON turn"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	/* REPLACE deletes rows without firing the trigger above. */
	"CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn"
	" WHEN EXISTS (SELECT 1 FROM turn WHERE id = NEW.id OR seq = NEW.seq)"
	" BEGIN SELECT RAISE(IGNORE); END;",

	/* Keys that existed before there were scopes get the usual ones: everything except what is
	 * reserved to the operator. */
	"CREATE TABLE project ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL UNIQUE,"
	" created_ms INTEGER NOT NULL"
	") STRICT;"
	"INSERT INTO project (id, name, created_ms) VALUES (1, 'default', unixepoch() * 1000);"
	"ALTER TABLE key ADD COLUMN project_id INTEGER NOT NULL DEFAULT 1"
	" REFERENCES project (id);"
	"ALTER TABLE key ADD COLUMN scopes INTEGER NOT NULL DEFAULT 7;"
	/* AUTOINCREMENT, so that an id that clients may still use is never assigned again. */
	"CREATE TABLE dictionary ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" project_id INTEGER NOT NULL REFERENCES project (id),"
	" name TEXT NOT NULL,"
	" description TEXT,"
	" language TEXT,"
	" is_active INTEGER NOT NULL,"
	" revision INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL,"
	" UNIQUE (project_id, name)"
	") STRICT;"
	"CREATE TABLE entry ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" dictionary_id INTEGER NOT NULL REFERENCES dictionary (id) ON DELETE CASCADE,"
	" word TEXT NOT NULL,"
	" folded TEXT NOT NULL," /* the word in the form that searches compare */
	" replacement TEXT NOT NULL,"
	" ipa TEXT,"
	" case_sensitive INTEGER NOT NULL,"
	" seen INTEGER NOT NULL," /* revision of the last full replacement that contained this entry */
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL,"
	" UNIQUE (dictionary_id, word)"
	") STRICT;"
	"CREATE INDEX entry_in_order ON entry (dictionary_id, id);",

	"CREATE TABLE voice ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" project_id INTEGER NOT NULL REFERENCES project (id),"
	" base_id INTEGER NOT NULL,"
	" name TEXT NOT NULL,"
	" pitch REAL NOT NULL,"
	" rate REAL NOT NULL,"
	" variant TEXT,"
	" description TEXT,"
	" generative_description TEXT,"
	" sample_text TEXT,"
	" sex TEXT,"
	" age TEXT,"
	" category TEXT,"
	" quality TEXT,"
	" languages TEXT,"
	" is_public INTEGER NOT NULL,"
	" sampled_ms INTEGER NOT NULL,"
	" revision INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX voice_of_project ON voice (project_id);"
	/* STORE_VOICE_FIRST - 1, because the next id is one more. */
	"INSERT INTO sqlite_sequence (name, seq) VALUES ('voice', 99999);",

	/* Everything that exists belongs to the default account.  Keys that could change
	 * dictionaries may change voices. */
	"CREATE TABLE account ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL UNIQUE,"
	" plan TEXT NOT NULL,"
	" is_prepaid INTEGER NOT NULL,"
	" turns INTEGER NOT NULL,"
	" connections INTEGER NOT NULL,"
	" requests_per_minute INTEGER NOT NULL,"
	" characters_per_minute INTEGER NOT NULL,"
	" text_max INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" closed_ms INTEGER NOT NULL,"
	" credit_microcents INTEGER NOT NULL,"
	" spent_microcents INTEGER NOT NULL"
	") STRICT;"
	"INSERT INTO account VALUES"
	" (1, 'default', '', 0, -2, -2, -2, -2, -2, unixepoch() * 1000, 0, 0, 0);"
	/* Names become unique per account.  SQLite can change a constraint only by creating the
	 * table again. */
	"CREATE TABLE new_project ("
	" id INTEGER PRIMARY KEY,"
	" account_id INTEGER NOT NULL REFERENCES account (id),"
	" name TEXT NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" UNIQUE (account_id, name)"
	") STRICT;"
	"INSERT INTO new_project SELECT id, 1, name, created_ms FROM project;"
	"DROP TABLE project;"
	"ALTER TABLE new_project RENAME TO project;"
	"ALTER TABLE key RENAME COLUMN streams_max TO connections;"
	"ALTER TABLE key ADD COLUMN turns INTEGER NOT NULL DEFAULT -2;"
	"ALTER TABLE key ADD COLUMN requests_per_minute INTEGER NOT NULL DEFAULT -2;"
	"ALTER TABLE key ADD COLUMN characters_per_minute INTEGER NOT NULL DEFAULT -2;"
	"ALTER TABLE key ADD COLUMN text_max INTEGER NOT NULL DEFAULT -2;"
	"ALTER TABLE key ADD COLUMN expires_ms INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE key ADD COLUMN used_ms INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE key ADD COLUMN spent_microcents INTEGER NOT NULL DEFAULT 0;"
	"UPDATE key SET scopes = scopes | 16 WHERE scopes & 4;",

	/* Existing rows get the account of their key.  This is the only change that rows of the
	 * ledger ever undergo. */
	"DROP TRIGGER IF EXISTS turn_is_never_changed;"
	"ALTER TABLE turn ADD COLUMN account_id INTEGER REFERENCES account (id);"
	"ALTER TABLE turn ADD COLUMN server TEXT NOT NULL DEFAULT '';"
	"UPDATE turn SET account_id = 1 WHERE key_id IS NOT NULL;"
	"CREATE TRIGGER turn_is_never_changed BEFORE UPDATE ON turn"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	/* For pages in the order of seq, and for sums over a period. */
	"CREATE INDEX turn_of_account ON turn (account_id);"
	"CREATE INDEX turn_of_account_at ON turn (account_id, at_ms);"
	"UPDATE account SET spent_microcents ="
	" (SELECT ifnull(sum(amount_microcents), 0) FROM turn WHERE account_id = 1);"
	"UPDATE key SET spent_microcents = spent.sum FROM"
	" (SELECT key_id, sum(amount_microcents) AS sum FROM turn GROUP BY key_id) AS spent"
	" WHERE spent.key_id = key.id;"
	"CREATE TABLE top_up ("
	" seq INTEGER PRIMARY KEY,"
	" id TEXT NOT NULL UNIQUE,"
	" account_id INTEGER NOT NULL REFERENCES account (id),"
	" at_ms INTEGER NOT NULL,"
	" amount_microcents INTEGER NOT NULL,"
	" note TEXT NOT NULL"
	") STRICT;"
	"CREATE INDEX top_up_of_account ON top_up (account_id);"
	"CREATE TRIGGER top_up_is_never_changed BEFORE UPDATE ON top_up"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	"CREATE TRIGGER top_up_is_never_deleted BEFORE DELETE ON top_up"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	"CREATE TRIGGER top_up_is_never_replaced BEFORE INSERT ON top_up"
	" WHEN EXISTS (SELECT 1 FROM top_up WHERE id = NEW.id OR seq = NEW.seq)"
	" BEGIN SELECT RAISE(IGNORE); END;",

	"CREATE TABLE token ("
	" hash BLOB NOT NULL PRIMARY KEY,"
	" key_id INTEGER NOT NULL REFERENCES key (id),"
	" path TEXT NOT NULL,"
	" expires_ms INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX token_of_key ON token (key_id, expires_ms);"
	/* kind is an enum store_holder_kind. */
	"CREATE TABLE lease ("
	" kind INTEGER NOT NULL,"
	" holder_id INTEGER NOT NULL,"
	" server TEXT NOT NULL,"
	" amount_microcents INTEGER NOT NULL CHECK (amount_microcents >= 0),"
	" expires_ms INTEGER NOT NULL,"
	" PRIMARY KEY (kind, holder_id, server)"
	") STRICT, WITHOUT ROWID;",

	/* The version that servers with rows in memory poll.  A change of entries counts as a
	 * change of their dictionary's revision. */
	"CREATE TABLE change (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)"
	" STRICT;"
	/* clang-format off */
	"INSERT INTO change VALUES (1, 1);"
	ON_CHANGE("key", "added", "INSERT")
	ON_CHANGE("key", "changed",
		  "UPDATE OF prefix, hash, name, credit_cents, turns, connections,"
		  " requests_per_minute, characters_per_minute, text_max, created_ms, revoked_ms,"
		  " expires_ms, project_id, scopes")
	ON_CHANGE("key", "removed", "DELETE")
	ON_CHANGE("account", "added", "INSERT")
	ON_CHANGE("account", "changed",
		  "UPDATE OF name, plan, is_prepaid, turns, connections, requests_per_minute,"
		  " characters_per_minute, text_max, closed_ms")
	ON_CHANGE("account", "removed", "DELETE")
	ON_CHANGE("project", "added", "INSERT")
	ON_CHANGE("project", "changed", "UPDATE")
	ON_CHANGE("project", "removed", "DELETE")
	ON_CHANGE("dictionary", "added", "INSERT")
	ON_CHANGE("dictionary", "changed", "UPDATE")
	ON_CHANGE("dictionary", "removed", "DELETE")
	ON_CHANGE("voice", "added", "INSERT")
	ON_CHANGE("voice", "changed", "UPDATE")
	ON_CHANGE("voice", "removed", "DELETE"),
	/* clang-format on */
};

const int sqlite_schema_version = (int)COUNT(sqlite_schema_migrations);

/* Steps that only add columns and tables; see sqlite_private.h. */
const char *const sqlite_schema_additions[] = {
	/* Existing rows, and rows of a release that does not know these columns, are speech.
	 * Their quantity is NULL, which means the number of their samples.  `model` is NULL if
	 * model_id has the complete name. */
	"ALTER TABLE turn ADD COLUMN kind TEXT NOT NULL DEFAULT 'speech';"
	"ALTER TABLE turn ADD COLUMN quantity INTEGER;"
	"ALTER TABLE turn ADD COLUMN unit TEXT NOT NULL DEFAULT 'samples';"
	"ALTER TABLE turn ADD COLUMN is_estimated INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE turn ADD COLUMN model TEXT;",

	/* clang-format off */
	/* The projects in which something has changed, so that not all of them are read again.
	 * kind is an enum store_change_kind.  Triggers write it, because an older release may
	 * write to the store too. */
	"CREATE TABLE change_of_project ("
	" kind INTEGER NOT NULL,"
	" project_id INTEGER NOT NULL,"
	" version INTEGER NOT NULL,"
	" PRIMARY KEY (kind, project_id)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX change_of_project_in_order ON change_of_project (version);"
	ON_NEWS("dictionary", "0", "added", "INSERT", "NEW")
	ON_NEWS("dictionary", "0", "changed", "UPDATE", "NEW")
	ON_NEWS("dictionary", "0", "removed", "DELETE", "OLD")
	ON_NEWS("voice", "1", "added", "INSERT", "NEW")
	ON_NEWS("voice", "1", "changed", "UPDATE", "NEW")
	ON_NEWS("voice", "1", "removed", "DELETE", "OLD")
	/* An account's keys are counted when one is added. */
	"CREATE INDEX key_of_project ON key (project_id);",

	/* The limit of audio that is transcribed.  Accounts and keys that the previous release adds
	 * have the default, -2, the limit of the plan. */
	"ALTER TABLE key ADD COLUMN heard_seconds_per_minute INTEGER NOT NULL DEFAULT -2;"
	"ALTER TABLE account ADD COLUMN heard_seconds_per_minute INTEGER NOT NULL DEFAULT -2;"
	ON_CHANGE("key", "changed_heard", "UPDATE OF heard_seconds_per_minute")
	ON_CHANGE("account", "changed_heard", "UPDATE OF heard_seconds_per_minute"),
	/* clang-format on */

	/* `folded` is the name in the form that searches and lists compare. */
	"CREATE TABLE speech_engine ("
	" id TEXT NOT NULL PRIMARY KEY,"
	" project_id INTEGER NOT NULL REFERENCES project (id),"
	" name TEXT NOT NULL,"
	" folded TEXT NOT NULL,"
	" key_id INTEGER NOT NULL REFERENCES key (id),"
	" config TEXT NOT NULL,"
	" revision INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX speech_engine_by_time ON speech_engine (project_id, created_ms, id);"
	"CREATE INDEX speech_engine_by_name ON speech_engine (project_id, folded, id);",
};

const int sqlite_schema_additions_count = (int)COUNT(sqlite_schema_additions);
