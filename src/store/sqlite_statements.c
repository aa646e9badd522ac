/*
 * sqlite_statements.c: all statements (see sqlite_schema.c).
 */
#include "store/sqlite_private.h"

#define KEYS                                                                                       \
	"SELECT key.id, prefix, hash, key.name, credit_cents, turns, connections,"                 \
	" requests_per_minute, characters_per_minute, text_max, heard_seconds_per_minute,"         \
	" key.created_ms, revoked_ms, expires_ms, used_ms, spent_microcents, project_id,"          \
	" account_id, scopes"                                                                      \
	" FROM key JOIN project ON project.id = project_id "
#define ACCOUNTS                                                                                   \
	"SELECT id, name, plan, is_prepaid, created_ms, turns, connections, requests_per_minute,"  \
	" characters_per_minute, text_max, heard_seconds_per_minute, closed_ms,"                   \
	" credit_microcents, spent_microcents"                                                     \
	" FROM account "
#define TURNS                                                                                       \
	"SELECT seq, id, ifnull(key_id, 0), ifnull(account_id, 0), server, at_ms, status, samples," \
	" sample_rate, characters, voice_id, ifnull(model, model_id), amount_microcents, kind,"     \
	" ifnull(quantity, samples), unit, is_estimated FROM turn "
/* Filters turns.  Parameter 1 is the account, 2 the project, 3 the key, 4 and 5 the times. */
#define OF_ACCOUNT " account_id = ?1 AND"
#define MATCHING                                                                                   \
	" (?2 = 0 OR key_id IN (SELECT id FROM key WHERE project_id = ?2))"                        \
	" AND (?3 = 0 OR key_id = ?3) AND at_ms >= ?4 AND at_ms < ?5"
/* Rows of one kind and unit. */
#define OF_KIND(of_kind, of_unit) "kind = '" of_kind "' AND unit = '" of_unit "'"
/* audio_us and heard_us are rounded half up, row by row.  Parameter 6 is enum store_usage_by. */
#define USAGE_US(of_kind)                                                                          \
	" sum(iif(" OF_KIND(                                                                       \
		of_kind,                                                                           \
		"samples") " AND sample_rate > 0,"                                                 \
			   " (ifnull(quantity, samples) * 1000000 + sample_rate / 2) / sample_rate, 0)),"
#define USAGE_TOKENS(of_kind) " sum(iif(" OF_KIND(of_kind, "tokens") ", quantity, 0)),"
#define USAGE                                                                                                                                             \
	"SELECT iif(?6 & 1, at_ms - at_ms % 86400000, 0), iif(?6 & 2, ifnull(key_id, 0), 0),"                                                             \
	" iif(?6 & 4, voice_id, 0), iif(?6 & 8, ifnull(model, model_id), ''),"                                                                            \
	" iif(?6 & 16, kind, 'speech'), sum(" OF_KIND("speech", "samples") ")," USAGE_US("speech") " sum(iif(kind = 'speech', characters, 0))," USAGE_US( \
		"hearing") " sum(" OF_KIND("model_output",                                                                                                \
					   "tokens") ")," USAGE_TOKENS("model_input")                                                                     \
		USAGE_TOKENS(                                                                                                                             \
			"model_output") " sum(iif(unit = 'tokens' AND is_estimated, quantity, 0)),"                                                       \
					" sum(amount_microcents) FROM turn WHERE"
/* Kinds in the order of their numbers. */
#define USAGE_ORDER                                                                                \
	" GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4,"                                             \
	" instr('speech hearing model_input model_output', iif(?6 & 16, kind, 'speech'))"
/* Sums up what a server has booked for an account or a key.  Parameters 1 and 2 are the holder, 3
 * is the server, 4 the time of the first row, 5 the row before the first. */
#define LEASE_BOOKED(index)                                                                        \
	"SELECT ifnull(sum(amount_microcents), 0), (SELECT ifnull(max(seq), 0) FROM turn)"         \
	" FROM turn INDEXED BY " index " WHERE account_id = iif(?1 = 0, ?2,"                       \
	"  (SELECT account_id FROM key JOIN project ON project.id = project_id"                    \
	"   WHERE key.id = ?2))"                                                                   \
	" AND at_ms >= ?4 AND seq > ?5 AND server = ?3 AND (?1 = 0 OR key_id = ?2)"
#define DICTIONARY_COLUMNS                                                                         \
	"id, project_id, name, description, language, is_active, revision, created_ms, updated_ms"
#define ENTRY_COLUMNS                                                                              \
	"id, dictionary_id, word, replacement, ipa, case_sensitive, created_ms, updated_ms"
#define VOICE_COLUMNS                                                                              \
	"id, project_id, base_id, name, pitch, rate, variant, description,"                        \
	" generative_description, sample_text, sex, age, category, quality, languages, is_public," \
	" sampled_ms, revision, created_ms, updated_ms"

#define SPEECH_ENGINES                                                                             \
	"SELECT e.id, e.project_id, e.name, e.key_id, key.prefix, e.config, e.revision,"           \
	" e.created_ms, e.updated_ms FROM speech_engine AS e JOIN key ON key.id = e.key_id "
/* A page of them, sorted by this column. */
#define SPEECH_ENGINES_BY(column, is_after, direction)                                             \
	SPEECH_ENGINES                                                                             \
	"WHERE e.project_id = ?1 AND (?2 IS NULL OR instr(e.folded, ?2) > 0)"                      \
	" AND (?5 IS NULL OR (e." column ", e.id) " is_after " (?4, ?5))"                          \
	" ORDER BY e." column " " direction ", e.id " direction " LIMIT ?3"

/* All keys of the account to which the key with the id ?1 belongs. */
#define KEYS_BESIDE                                                                                \
	"(SELECT id FROM key WHERE project_id IN (SELECT id FROM project WHERE account_id ="       \
	" (SELECT account_id FROM key JOIN project ON project.id = project_id WHERE key.id = ?1)))"

#define STATEMENT(name) [STATEMENT_##name]

/* clang-format off */
const char *const sqlite_statements[] = {
	STATEMENT(KEY_ADD) =
		"INSERT INTO key (prefix, hash, name, credit_cents, turns, connections,"
		" requests_per_minute, characters_per_minute, text_max, heard_seconds_per_minute,"
		" created_ms, revoked_ms, expires_ms, project_id, scopes)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
	STATEMENT(KEY_FIND) = KEYS "WHERE prefix = ?1",
	STATEMENT(KEY_GET) = KEYS "WHERE key.id = ?1",
	STATEMENT(KEY_REVOKE) =
		"UPDATE key SET revoked_ms = iif(revoked_ms = 0, ?2, revoked_ms) WHERE prefix = ?1",
	STATEMENT(KEY_CHANGE) =
		"UPDATE key SET name = iif(?2 & 1, ?3, name), scopes = iif(?2 & 2, ?11, scopes),"
		" turns = iif(?2 & 4, ?5, turns), connections = iif(?2 & 4, ?6, connections),"
		" requests_per_minute = iif(?2 & 4, ?7, requests_per_minute),"
		" characters_per_minute = iif(?2 & 4, ?8, characters_per_minute),"
		" text_max = iif(?2 & 4, ?9, text_max),"
		" heard_seconds_per_minute = iif(?2 & 4, ?10, heard_seconds_per_minute),"
		" credit_cents = iif(?2 & 8, ?4, credit_cents),"
		" expires_ms = iif(?2 & 16, ?12, expires_ms) WHERE prefix = ?1",
	STATEMENT(KEY_USED) = "UPDATE key SET used_ms = max(used_ms, ?2) WHERE id = ?1",
	STATEMENT(KEY_SPENT) =
		"UPDATE key SET spent_microcents = spent_microcents + ?2 WHERE id = ?1",
	STATEMENT(KEY_LIST) = KEYS "ORDER BY key.id",

	STATEMENT(KEY_COUNT) =
		"SELECT count(*) FROM key WHERE project_id IN (SELECT id FROM project"
		"  WHERE account_id = (SELECT account_id FROM project WHERE id = ?1))"
		" AND (?2 = 0 OR (revoked_ms = 0 AND (expires_ms = 0 OR expires_ms > ?2)))",
	STATEMENT(TOKEN_FORGET_OLD) =
		"DELETE FROM token WHERE expires_ms <= ?2 AND key_id IN " KEYS_BESIDE,
	STATEMENT(TOKEN_COUNT) = "SELECT count(*) FROM token WHERE key_id IN " KEYS_BESIDE,
	STATEMENT(TOKEN_ADD) =
		"INSERT INTO token (hash, key_id, path, expires_ms) VALUES (?1, ?2, ?3, ?4)",
	STATEMENT(TOKEN_LOOK) =
		"SELECT key_id FROM token WHERE hash = ?1 AND path = ?2 AND expires_ms > ?3",
	STATEMENT(TOKEN_TAKE) =
		"DELETE FROM token WHERE hash = ?1 AND path = ?2 AND expires_ms > ?3"
		" RETURNING key_id",

	STATEMENT(ACCOUNT_ADD) =
		"INSERT INTO account (name, plan, turns, connections, requests_per_minute,"
		" characters_per_minute, text_max, heard_seconds_per_minute, closed_ms,"
		" is_prepaid, created_ms, credit_microcents, spent_microcents)"
		" VALUES (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, 0)",
	STATEMENT(ACCOUNT_GET) = ACCOUNTS "WHERE id = ?1",
	STATEMENT(ACCOUNT_LIST) = ACCOUNTS "ORDER BY id",
	STATEMENT(ACCOUNT_CHANGE) =
		"UPDATE account SET name = iif(?2 & 1, ?3, name), plan = iif(?2 & 2, ?4, plan),"
		" is_prepaid = iif(?2 & 4, ?12, is_prepaid), turns = iif(?2 & 8, ?5, turns),"
		" connections = iif(?2 & 8, ?6, connections),"
		" requests_per_minute = iif(?2 & 8, ?7, requests_per_minute),"
		" characters_per_minute = iif(?2 & 8, ?8, characters_per_minute),"
		" text_max = iif(?2 & 8, ?9, text_max),"
		" heard_seconds_per_minute = iif(?2 & 8, ?10, heard_seconds_per_minute),"
		" closed_ms = iif(?2 & 16, ?11, closed_ms) WHERE id = ?1",
	STATEMENT(ACCOUNT_CREDIT) = "UPDATE account SET credit_microcents = ?2 WHERE id = ?1",
	STATEMENT(ACCOUNT_SPENT) =
		"UPDATE account SET spent_microcents = spent_microcents + ?2 WHERE id = ?1",
	STATEMENT(PROJECT_ADD) =
		"INSERT INTO project (account_id, name, created_ms) VALUES (?1, ?2, ?3)",
	STATEMENT(PROJECT_COUNT) = "SELECT count(*) FROM project WHERE account_id = ?1",
	STATEMENT(PROJECT_LIST) =
		"SELECT id, account_id, name, created_ms FROM project"
		" WHERE ?1 = 0 OR account_id = ?1 ORDER BY id",
	STATEMENT(TOP_UP_ADD) =
		"INSERT INTO top_up (id, account_id, at_ms, amount_microcents, note)"
		" VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO NOTHING",
	STATEMENT(TOP_UP_LIST) =
		"SELECT id, account_id, at_ms, amount_microcents, note FROM top_up"
		" WHERE account_id = ?1 ORDER BY seq",

	STATEMENT(LEASE_FORGET_OLD) =
		"DELETE FROM lease WHERE kind = ?1 AND holder_id = ?2 AND expires_ms <= ?3",
	STATEMENT(LEASE_SUMS) =
		"SELECT ifnull(sum(amount_microcents), 0),"
		" ifnull(sum(iif(server = ?3, amount_microcents, 0)), 0)"
		" FROM lease WHERE kind = ?1 AND holder_id = ?2",
	STATEMENT(LEASE_PUT) =
		"INSERT INTO lease (kind, holder_id, server, amount_microcents, expires_ms)"
		" VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (kind, holder_id, server) DO UPDATE"
		" SET amount_microcents = excluded.amount_microcents,"
		" expires_ms = excluded.expires_ms",
	STATEMENT(LEASE_TAKE_OFF) =
		"UPDATE lease SET amount_microcents = max(amount_microcents - ?4, 0)"
		" WHERE kind = ?1 AND holder_id = ?2 AND server = ?3",
	STATEMENT(LEASE_BOOKED_SINCE) = LEASE_BOOKED("turn_of_account_at"),
	STATEMENT(LEASE_BOOKED_AFTER) = LEASE_BOOKED("turn_of_account"),
	STATEMENT(LEASE_RETURN) = "DELETE FROM lease WHERE server = ?1",

	STATEMENT(BEGIN) = "BEGIN IMMEDIATE",
	STATEMENT(COMMIT) = "COMMIT",
	STATEMENT(ROLLBACK) = "ROLLBACK",
	STATEMENT(TURN_ADD) =
		"INSERT INTO turn (id, key_id, account_id, server, at_ms, status, samples,"
		" sample_rate, characters, voice_id, model_id, amount_microcents, kind, quantity,"
		" unit, is_estimated, model)"
		" VALUES (?1, nullif(?2, 0), nullif(?3, 0), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
		" ?13, ?14, ?15, ?16, nullif(?17, ?11))"
		" ON CONFLICT (id) DO NOTHING",
	STATEMENT(TURN_LIST) = TURNS "ORDER BY seq",
	STATEMENT(TURN_PAGE) = TURNS "WHERE" MATCHING " AND seq > ?6 ORDER BY seq LIMIT ?7",
	STATEMENT(TURN_PAGE_OF_ACCOUNT) =
		TURNS "WHERE" OF_ACCOUNT MATCHING " AND seq > ?6 ORDER BY seq LIMIT ?7",
	STATEMENT(USAGE) = USAGE MATCHING USAGE_ORDER,
	STATEMENT(USAGE_OF_ACCOUNT) = USAGE OF_ACCOUNT MATCHING USAGE_ORDER,
	STATEMENT(AUDIT) =
		"SELECT 'credit of account', id, credit_microcents, ifnull(sum, 0) FROM account"
		" LEFT JOIN (SELECT account_id, sum(amount_microcents) AS sum FROM top_up"
		"  GROUP BY account_id) ON account_id = id WHERE credit_microcents <> ifnull(sum, 0)"
		" UNION ALL SELECT 'spent of account', id, spent_microcents, ifnull(sum, 0) FROM account"
		" LEFT JOIN (SELECT account_id, sum(amount_microcents) AS sum FROM turn"
		"  GROUP BY account_id) ON account_id = id WHERE spent_microcents <> ifnull(sum, 0)"
		" UNION ALL SELECT 'spent of key', id, spent_microcents, ifnull(sum, 0) FROM key"
		" LEFT JOIN (SELECT key_id, sum(amount_microcents) AS sum FROM turn"
		"  GROUP BY key_id) ON key_id = id WHERE spent_microcents <> ifnull(sum, 0)",

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
	STATEMENT(ENTRY_REMOVE_WORD) = "DELETE FROM entry WHERE dictionary_id = ?1 AND word = ?2",
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

	STATEMENT(SPEECH_ENGINE_GET) =
		SPEECH_ENGINES "WHERE e.id = ?1 AND (?2 = 0 OR e.project_id = ?2)",
	STATEMENT(SPEECH_ENGINE_COUNT) =
		"SELECT count(*) FROM speech_engine WHERE project_id = ?1",
	STATEMENT(SPEECH_ENGINE_ADD) =
		"INSERT INTO speech_engine (id, project_id, name, folded, key_id, config, revision,"
		" created_ms, updated_ms) VALUES (?1, ?2, ?4, ?5, ?6, ?7, 1, ?8, ?8)",
	STATEMENT(SPEECH_ENGINE_CHANGE) =
		"UPDATE speech_engine SET revision = revision + 1, updated_ms = ?8,"
		" name = iif(?3 & 1, ?4, name), folded = iif(?3 & 1, ?5, folded),"
		" key_id = iif(?3 & 2, ?6, key_id), config = iif(?3 & 4, ?7, config)"
		" WHERE id = ?1 AND project_id = ?2 AND (?9 = 0 OR revision = ?9)",
	STATEMENT(SPEECH_ENGINE_REMOVE) =
		"DELETE FROM speech_engine WHERE id = ?1 AND project_id = ?2",
	STATEMENT(SPEECH_ENGINE_BY_TIME) = SPEECH_ENGINES_BY("created_ms", ">", "ASC"),
	STATEMENT(SPEECH_ENGINE_BY_TIME_DOWN) = SPEECH_ENGINES_BY("created_ms", "<", "DESC"),
	STATEMENT(SPEECH_ENGINE_BY_NAME) = SPEECH_ENGINES_BY("folded", ">", "ASC"),
	STATEMENT(SPEECH_ENGINE_BY_NAME_DOWN) = SPEECH_ENGINES_BY("folded", "<", "DESC"),

	STATEMENT(VERSION) = "SELECT version FROM change",
	STATEMENT(CHANGES) =
		"SELECT kind, project_id, version FROM change_of_project WHERE version > ?1",
};
/* clang-format on */
