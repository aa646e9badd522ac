/*
 * sqlite_schema.c: the tables of the SQLite store and what is asked of them.
 *
 * The ledger's table defends itself: triggers refuse every change of a row,
 * whoever asks, a hand with the sqlite3 shell included.
 */
#include "base/count.h"
#include "store/sqlite_private.h"

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
	/* REPLACE deletes without asking the trigger above. */
	"CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn"
	" WHEN EXISTS (SELECT 1 FROM turn WHERE id = NEW.id OR seq = NEW.seq)"
	" BEGIN SELECT RAISE(IGNORE); END;",

	/* Keys of before could do all there was, and can do all that has come since but
	 * what is the operator's: the usual scopes. */
	"CREATE TABLE project ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL UNIQUE,"
	" created_ms INTEGER NOT NULL"
	") STRICT;"
	"INSERT INTO project (id, name, created_ms) VALUES (1, 'default', unixepoch() * 1000);"
	"ALTER TABLE key ADD COLUMN project_id INTEGER NOT NULL DEFAULT 1"
	" REFERENCES project (id);"
	"ALTER TABLE key ADD COLUMN scopes INTEGER NOT NULL DEFAULT 7;"
	/* AUTOINCREMENT: an id that clients may still name is given to no other. */
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
	" folded TEXT NOT NULL," /* the word, as it is searched */
	" replacement TEXT NOT NULL,"
	" ipa TEXT,"
	" case_sensitive INTEGER NOT NULL,"
	" seen INTEGER NOT NULL," /* by which revision's replacement of all */
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
	/* STORE_VOICE_FIRST - 1: the next one is one more. */
	"INSERT INTO sqlite_sequence (name, seq) VALUES ('voice', 99999);",
};

const int sqlite_schema_version = (int)COUNT(sqlite_schema_migrations);

#define KEY_COLUMNS                                                                                \
	"id, prefix, hash, name, credit_cents, streams_max, created_ms, revoked_ms, project_id,"   \
	" scopes"
#define DICTIONARY_COLUMNS                                                                         \
	"id, project_id, name, description, language, is_active, revision, created_ms, updated_ms"
#define ENTRY_COLUMNS                                                                              \
	"id, dictionary_id, word, replacement, ipa, case_sensitive, created_ms, updated_ms"
#define VOICE_COLUMNS                                                                              \
	"id, project_id, base_id, name, pitch, rate, variant, description,"                        \
	" generative_description, sample_text, sex, age, category, quality, languages, is_public," \
	" sampled_ms, revision, created_ms, updated_ms"

#define STATEMENT(name) [STATEMENT_##name]

/* clang-format off */
const char *const sqlite_schema_statements[] = {
	STATEMENT(KEY_ADD) =
		"INSERT INTO key (prefix, hash, name, credit_cents, streams_max, created_ms,"
		" revoked_ms, project_id, scopes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	STATEMENT(KEY_FIND) = "SELECT " KEY_COLUMNS " FROM key WHERE prefix = ?1",
	STATEMENT(KEY_REVOKE) =
		"UPDATE key SET revoked_ms = iif(revoked_ms = 0, ?2, revoked_ms) WHERE prefix = ?1",
	STATEMENT(KEY_SET_SCOPES) = "UPDATE key SET scopes = ?2 WHERE prefix = ?1",
	STATEMENT(KEY_LIST) = "SELECT " KEY_COLUMNS " FROM key ORDER BY id",

	STATEMENT(BEGIN) = "BEGIN IMMEDIATE",
	STATEMENT(TURN_ADD) =
		"INSERT INTO turn (id, key_id, at_ms, status, samples, sample_rate,"
		" characters, voice_id, model_id, amount_microcents)"
		" VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
		" ON CONFLICT (id) DO NOTHING",
	STATEMENT(COMMIT) = "COMMIT",
	STATEMENT(ROLLBACK) = "ROLLBACK",
	STATEMENT(TURN_LIST) =
		"SELECT id, ifnull(key_id, 0), at_ms, status, samples, sample_rate,"
		" characters, voice_id, model_id, amount_microcents FROM turn ORDER BY seq",

	STATEMENT(DICTIONARY_LIST) =
		"SELECT " DICTIONARY_COLUMNS " FROM dictionary WHERE project_id = ?1 ORDER BY id",
	STATEMENT(DICTIONARY_GET) =
		"SELECT " DICTIONARY_COLUMNS " FROM dictionary WHERE id = ?1 AND project_id = ?2",
	STATEMENT(DICTIONARY_COUNT) = "SELECT count(*) FROM dictionary WHERE project_id = ?1",
	STATEMENT(DICTIONARY_ADD) =
		"INSERT INTO dictionary (project_id, name, description, language, is_active,"
		" revision, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6)",
	STATEMENT(DICTIONARY_CHANGE) =
		"UPDATE dictionary SET revision = revision + 1, updated_ms = ?8,"
		" name = iif(?3 & 1, ?4, name), description = iif(?3 & 2, ?5, description),"
		" language = iif(?3 & 4, ?6, language), is_active = iif(?3 & 8, ?7, is_active)"
		" WHERE id = ?1 AND project_id = ?2",
	STATEMENT(DICTIONARY_REMOVE) = "DELETE FROM dictionary WHERE id = ?1 AND project_id = ?2",
	STATEMENT(DICTIONARY_TOUCH) =
		"UPDATE dictionary SET revision = revision + 1 WHERE id = ?1",

	STATEMENT(ENTRY_LIST) =
		"SELECT " ENTRY_COLUMNS " FROM entry WHERE dictionary_id = ?1"
		" AND (?2 IS NULL OR instr(folded, ?2) > 0) ORDER BY id LIMIT ?3 OFFSET ?4",
	STATEMENT(ENTRY_COUNT) =
		"SELECT count(*) FROM entry WHERE dictionary_id = ?1"
		" AND (?2 IS NULL OR instr(folded, ?2) > 0)",
	STATEMENT(ENTRY_GET) =
		"SELECT " ENTRY_COLUMNS " FROM entry WHERE id = ?1 AND dictionary_id = ?2",
	STATEMENT(ENTRY_ADD) =
		"INSERT INTO entry (dictionary_id, word, folded, replacement, ipa, case_sensitive,"
		" seen, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?7)",
	STATEMENT(ENTRY_CHANGE) =
		"UPDATE entry SET updated_ms = ?9, word = iif(?3 & 1, ?4, word),"
		" folded = iif(?3 & 1, ?5, folded),"
		" replacement = iif(?3 & 2, ?6, replacement), ipa = iif(?3 & 4, ?7, ipa),"
		" case_sensitive = iif(?3 & 8, ?8, case_sensitive)"
		" WHERE id = ?1 AND dictionary_id = ?2",
	STATEMENT(ENTRY_REMOVE) = "DELETE FROM entry WHERE id = ?1 AND dictionary_id = ?2",
	STATEMENT(ENTRY_UPSERT) =
		"INSERT INTO entry (dictionary_id, word, folded, replacement, ipa, case_sensitive,"
		" seen, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
		" (SELECT revision FROM dictionary WHERE id = ?1), ?7, ?7)"
		" ON CONFLICT (dictionary_id, word) DO UPDATE SET seen = excluded.seen,"
		" updated_ms = iif(replacement = excluded.replacement AND ipa IS excluded.ipa"
		"  AND case_sensitive = excluded.case_sensitive, updated_ms, excluded.updated_ms),"
		" replacement = excluded.replacement, ipa = excluded.ipa,"
		" case_sensitive = excluded.case_sensitive",
	STATEMENT(ENTRY_REMOVE_OLD) =
		"DELETE FROM entry WHERE dictionary_id = ?1"
		" AND seen <> (SELECT revision FROM dictionary WHERE id = ?1)",

	STATEMENT(VOICE_LIST) = "SELECT " VOICE_COLUMNS " FROM voice ORDER BY id",
	STATEMENT(VOICE_COUNT) = "SELECT count(*) FROM voice WHERE project_id = ?1",
	STATEMENT(VOICE_ADD) =
		"INSERT INTO voice (project_id, updated_ms, created_ms, name, base_id, pitch, rate,"
		" variant, description, generative_description, sample_text, sex, age, category,"
		" quality, languages, is_public, sampled_ms, revision)"
		" VALUES (?2, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
		" ?18, ?19, 1)",
	STATEMENT(VOICE_CHANGE) =
		"UPDATE voice SET revision = revision + 1, updated_ms = ?4,"
		" name = iif(?3 & 1, ?5, name), base_id = iif(?3 & 2, ?6, base_id),"
		" pitch = iif(?3 & 4, ?7, pitch), rate = iif(?3 & 8, ?8, rate),"
		" variant = iif(?3 & 16, ?9, variant),"
		" description = iif(?3 & 32, ?10, description),"
		" generative_description = iif(?3 & 64, ?11, generative_description),"
		" sample_text = iif(?3 & 128, ?12, sample_text), sex = iif(?3 & 256, ?13, sex),"
		" age = iif(?3 & 512, ?14, age), category = iif(?3 & 1024, ?15, category),"
		" quality = iif(?3 & 2048, ?16, quality),"
		" languages = iif(?3 & 4096, ?17, languages),"
		" is_public = iif(?3 & 8192, ?18, is_public),"
		" sampled_ms = iif(?3 & 16384, ?19, sampled_ms)"
		" WHERE id = ?1 AND project_id = ?2",
	STATEMENT(VOICE_REMOVE) = "DELETE FROM voice WHERE id = ?1 AND project_id = ?2",
	STATEMENT(VERSION) = "PRAGMA data_version",
};
/* clang-format on */
