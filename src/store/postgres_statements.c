/*
 * postgres_statements.c: all statements (see postgres_schema.c).
 */
#include "store/postgres_private.h"

/* clang-format off */
#define LIMITS_COLUMNS \
	"turns, connections, requests_per_minute, characters_per_minute, text_max," \
	" heard_seconds_per_minute"
#define KEY_COLUMNS \
	"key.id, prefix, hash, key.name, credit_cents, " LIMITS_COLUMNS ", key.created_ms," \
	" revoked_ms, expires_ms, used_ms, spent_microcents, project_id, account_id, scopes"
#define KEY_TABLES " FROM key JOIN project ON project.id = key.project_id"
#define ACCOUNT_COLUMNS \
	"id, name, plan, is_prepaid, " LIMITS_COLUMNS ", created_ms, closed_ms," \
	" credit_microcents, spent_microcents"
#define DICTIONARY_COLUMNS \
	"id, project_id, name, description, language, is_active, revision, created_ms, updated_ms"
#define ENTRY_COLUMNS \
	"id, dictionary_id, word, replacement, ipa, case_sensitive, created_ms, updated_ms"
#define VOICE_COLUMNS \
	"id, project_id, base_id, name, pitch, rate, variant, description," \
	" generative_description, sample_text, sex, age, category, quality, languages, is_public," \
	" sampled_ms, revision, created_ms, updated_ms"

#define SPEECH_ENGINES \
	"SELECT e.id, e.project_id, e.name, e.key_id, key.prefix, e.config, e.revision," \
	" e.created_ms, e.updated_ms FROM speech_engine AS e JOIN key ON key.id = e.key_id "
/* A page of them, sorted by this column. */
#define SPEECH_ENGINES_BY(column, type, is_after, direction) \
	SPEECH_ENGINES \
	"WHERE e.project_id = $1 AND ($2::text IS NULL OR strpos(e.folded, $2) > 0)" \
	" AND ($5::text IS NULL OR (e." column ", e.id) " is_after " ($4::" type ", $5))" \
	" ORDER BY e." column " " direction ", e.id " direction \
	" LIMIT CASE WHEN $3::bigint < 0 THEN NULL ELSE $3::bigint END"

/* The new value if its bit of `fields` is set, otherwise the old one. */
#define SET(fields, bit, column, value) \
	column " = CASE WHEN (" fields "::bigint & " bit ") <> 0 THEN " value " ELSE " column " END"

/* Parameters 2 to 6 are the members of a filter. */
#define FILTER \
	" ($2::bigint = 0 OR account_id = $2)" \
	" AND ($3::bigint = 0 OR key_id IN (SELECT id FROM key WHERE project_id = $3))" \
	" AND ($4::bigint = 0 OR key_id = $4)" \
	" AND ($5::bigint = 0 OR at_ms >= $5)" \
	" AND ($6::bigint = 0 OR at_ms < $6)"

/* A column of a report, if the report groups by it. */
#define BY(bit, column, otherwise) \
	"CASE WHEN ($1::bigint & " bit ") <> 0 THEN " column " ELSE " otherwise " END"

/* The quantity of a row: rows written by a release that does not know kinds have only
 * samples. */
#define QUANTITY "coalesce(quantity, samples)"

/* Rows of one kind and unit. */
#define OF_KIND(of_kind, of_unit) "kind = '" of_kind "' AND unit = '" of_unit "'"

/* Uses whole seconds and the remainder, so that integers cannot overflow. */
#define SUM_US(of_kind) \
	"sum(CASE WHEN " OF_KIND(of_kind, "samples") " AND sample_rate > 0" \
	" THEN " QUANTITY " / sample_rate * 1000000" \
	" + ((" QUANTITY " % sample_rate) * 1000000 + sample_rate / 2) / sample_rate" \
	" ELSE 0 END)::bigint"
#define SUM_TOKENS(of_kind) \
	"coalesce(sum(quantity) FILTER (WHERE " OF_KIND(of_kind, "tokens") "), 0)::bigint"

#define AUDIT_SUM(table, kept, of, column) \
	"SELECT '" table "', " table ".id, '" kept "', " table "." kept "," \
	" coalesce(s.sum, 0) FROM " table \
	" LEFT JOIN (SELECT " column " AS id, sum(amount_microcents) FROM " of " GROUP BY 1) s" \
	" ON s.id = " table ".id WHERE " table "." kept " <> coalesce(s.sum, 0)"

/* An advisory lock, because bookings would have to wait for a lock on the row. */
#define COUNTING_LOCK(account) \
	"pg_advisory_xact_lock(792319011, (" account " % 2147483647)::int)"
#define PROJECTS_OF(account) "(SELECT id FROM project WHERE account_id = " account ")"

#define STATEMENT(name) [POSTGRES_##name].sql
#define REPORT(name) [POSTGRES_##name].is_report = true, [POSTGRES_##name].sql

const struct postgres_statement_row postgres_statements[] = {
	STATEMENT(KEY_ADD) =
		"WITH key AS (INSERT INTO key (prefix, hash, name, credit_cents, " LIMITS_COLUMNS ","
		" created_ms, revoked_ms, expires_ms, used_ms, spent_microcents, project_id, scopes)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, $14, $15)"
		" RETURNING *) SELECT " KEY_COLUMNS KEY_TABLES,
	STATEMENT(KEY_FIND) = "SELECT " KEY_COLUMNS KEY_TABLES " WHERE prefix = $1",
	STATEMENT(KEY_REVOKE) =
		"UPDATE key SET revoked_ms = CASE WHEN revoked_ms = 0 THEN $2 ELSE revoked_ms END"
		" WHERE prefix = $1",
	STATEMENT(KEY_LIST) = "SELECT " KEY_COLUMNS KEY_TABLES " ORDER BY key.id",
	STATEMENT(KEY_CHANGE) =
		"UPDATE key SET " SET("$2", "1", "name", "$3") ", " SET("$2", "2", "scopes", "$4") ", "
		SET("$2", "4", "turns", "$5") ", " SET("$2", "4", "connections", "$6") ", "
		SET("$2", "4", "requests_per_minute", "$7") ", "
		SET("$2", "4", "characters_per_minute", "$8") ", "
		SET("$2", "4", "text_max", "$9") ", "
		SET("$2", "4", "heard_seconds_per_minute", "$10") ", "
		SET("$2", "8", "credit_cents", "$11") ", "
		SET("$2", "16", "expires_ms", "$12") " WHERE prefix = $1",
	STATEMENT(KEY_USED) = "UPDATE key SET used_ms = greatest(used_ms, $2) WHERE id = $1",

	STATEMENT(ACCOUNT_ADD) =
		"INSERT INTO account (name, plan, is_prepaid, " LIMITS_COLUMNS ", created_ms,"
		" closed_ms, credit_microcents, spent_microcents)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0) RETURNING id",
	STATEMENT(ACCOUNT_GET) = "SELECT " ACCOUNT_COLUMNS " FROM account WHERE id = $1",
	STATEMENT(ACCOUNT_LIST) = "SELECT " ACCOUNT_COLUMNS " FROM account ORDER BY id",
	STATEMENT(ACCOUNT_CHANGE) =
		"UPDATE account SET " SET("$2", "1", "name", "$3") ", "
		SET("$2", "2", "plan", "$4") ", " SET("$2", "4", "is_prepaid", "$5") ", "
		SET("$2", "8", "turns", "$6") ", " SET("$2", "8", "connections", "$7") ", "
		SET("$2", "8", "requests_per_minute", "$8") ", "
		SET("$2", "8", "characters_per_minute", "$9") ", "
		SET("$2", "8", "text_max", "$10") ", "
		SET("$2", "8", "heard_seconds_per_minute", "$11") ", "
		SET("$2", "16", "closed_ms", "$12")
		" WHERE id = $1",
	STATEMENT(PROJECT_ADD) =
		"INSERT INTO project (account_id, name, created_ms) VALUES ($1, $2, $3) RETURNING id",
	STATEMENT(PROJECT_LIST) =
		"SELECT id, account_id, name, created_ms FROM project"
		" WHERE $1::bigint = 0 OR account_id = $1 ORDER BY id",
	STATEMENT(TOP_UP_ADD) =
		"INSERT INTO top_up (id, account_id, at_ms, amount_microcents, note)"
		" VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING",
	STATEMENT(TOP_UP_LIST) =
		"SELECT id, account_id, at_ms, amount_microcents, note FROM top_up"
		" WHERE $1::bigint = 0 OR account_id = $1 ORDER BY seq",

	/* The lock makes counting what an account has and adding to it exclusive. */
	STATEMENT(LOCK_ACCOUNT) = "SELECT id, " COUNTING_LOCK("id") " FROM account WHERE id = $1",
	STATEMENT(LOCK_ACCOUNT_OF_PROJECT) =
		"SELECT account_id, " COUNTING_LOCK("account_id") " FROM project WHERE id = $1",
	STATEMENT(PROJECT_COUNT) = "SELECT count(*) FROM project WHERE account_id = $1",
	STATEMENT(KEY_COUNT) =
		"SELECT count(*) FROM key WHERE project_id IN " PROJECTS_OF("$1")
		" AND ($2::bigint = 0 OR (revoked_ms = 0 AND (expires_ms = 0 OR expires_ms > $2)))",
	STATEMENT(TOKEN_ADD) = "SELECT token_add($1, $2, $3, $4, $5, $6)",
	STATEMENT(TOKEN_TAKE) =
		"WITH taken AS (DELETE FROM token WHERE hash = $1 AND path = $2 AND expires_ms > $3"
		" RETURNING key_id)"
		" SELECT " KEY_COLUMNS " FROM taken JOIN key ON key.id = taken.key_id"
		" JOIN project ON project.id = key.project_id",

	STATEMENT(LEASE_TAKE) =
		"SELECT granted, held, remaining, elsewhere, booked, last_seq"
		" FROM lease_take_booked($1, $2, $3, $4, $5, $6, $7)",
	STATEMENT(LEASE_RETURN) = "DELETE FROM lease WHERE server = $1",

	/* Returns the turns that were refused. */
	STATEMENT(TURNS_ADD) =
		"WITH given AS (SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[],"
		"  $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],"
		"  $10::bigint[], $11::text[], $12::bigint[], $13::text[], $14::bigint[], $15::text[],"
		"  $16::bigint[], $17::text[]) WITH ORDINALITY"
		"  AS g(id, key_id, account_id, server, at_ms, status, samples, sample_rate,"
		"  characters, voice_id, model_id, amount_microcents, kind, quantity, unit,"
		"  is_estimated, model, n)),"
		" good AS (SELECT * FROM given WHERE amount_microcents >= 0"
		"  AND ((key_id = 0 AND account_id = 0)"
		"   OR (EXISTS (SELECT 1 FROM key WHERE key.id = given.key_id)"
		"    AND EXISTS (SELECT 1 FROM account WHERE account.id = given.account_id)))),"
		" added AS (INSERT INTO turn (id, key_id, account_id, server, at_ms, status, samples,"
		"  sample_rate, characters, voice_id, model_id, amount_microcents, kind, quantity,"
		"  unit, is_estimated, model)"
		"  SELECT id, nullif(key_id, 0), nullif(account_id, 0), server, at_ms, status,"
		"   samples, sample_rate, characters, voice_id, model_id, amount_microcents, kind,"
		"   quantity, unit, is_estimated <> 0, nullif(model, model_id)"
		"  FROM good ORDER BY n ON CONFLICT (id) DO NOTHING)"
		" SELECT n FROM given WHERE n NOT IN (SELECT n FROM good)"
		" AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.id = given.id)",
	REPORT(TURN_PAGE) =
		"SELECT seq, id, coalesce(key_id, 0), coalesce(account_id, 0), server, at_ms, status,"
		" samples, sample_rate, characters, voice_id, coalesce(model, model_id),"
		" amount_microcents, kind, " QUANTITY ", unit, is_estimated"
		" FROM turn WHERE seq > $1 AND" FILTER " ORDER BY seq LIMIT $7",
	REPORT(USAGE_SUM) =
		"SELECT " BY("1", "at_ms - (at_ms % 86400000 + 86400000) % 86400000", "0") " AS day, "
		BY("2", "coalesce(key_id, 0)", "0") " AS by_key, "
		BY("4", "voice_id", "0") " AS by_voice, "
		"(" BY("8", "coalesce(model, model_id)", "''") ") COLLATE \"C\" AS by_model, "
		BY("16", "kind", "'speech'") " AS by_kind,"
		" count(*) FILTER (WHERE " OF_KIND("speech", "samples") "), " SUM_US("speech") ","
		" coalesce(sum(characters) FILTER (WHERE kind = 'speech'), 0)::bigint, "
		SUM_US("hearing") ", count(*) FILTER (WHERE " OF_KIND("model_output", "tokens") "), "
		SUM_TOKENS("model_input") ", " SUM_TOKENS("model_output") ","
		" coalesce(sum(quantity) FILTER (WHERE unit = 'tokens' AND is_estimated), 0)::bigint,"
		" sum(amount_microcents)::bigint FROM turn WHERE" FILTER
		" GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4,"
		/* Kinds in the order of their numbers. */
		" min(strpos('speech hearing model_input model_output', kind))",
	REPORT(AUDIT) =
		AUDIT_SUM("account", "spent_microcents", "turn", "account_id") " UNION ALL "
		AUDIT_SUM("account", "credit_microcents", "top_up", "account_id") " UNION ALL "
		AUDIT_SUM("key", "spent_microcents", "turn", "key_id"),

	STATEMENT(SHARE_TAKE) = "SELECT short_of, wait_ms FROM share_take($1, $2, $3, $4, $5, $6)",
	/* Servers that have sent no heartbeat for this long will not return. */
	STATEMENT(SHARE_HEARTBEAT) =
		"WITH gone AS (DELETE FROM share_server WHERE heard_ms < now_ms() - 300000"
		" AND server <> $1) SELECT share_beat($1)",
	STATEMENT(SHARE_RETURN) = "DELETE FROM share_server WHERE server = $1",

	STATEMENT(PROJECT_LOCK) = "SELECT id FROM project WHERE id = $1 FOR NO KEY UPDATE",
	STATEMENT(DICTIONARY_LIST) =
		"SELECT " DICTIONARY_COLUMNS " FROM dictionary WHERE project_id = $1 ORDER BY id",
	STATEMENT(DICTIONARY_GET) =
		"SELECT " DICTIONARY_COLUMNS " FROM dictionary WHERE id = $1 AND project_id = $2",
	STATEMENT(DICTIONARY_COUNT) = "SELECT count(*) FROM dictionary WHERE project_id = $1",
	STATEMENT(DICTIONARY_ADD) =
		"INSERT INTO dictionary (project_id, name, description, language, is_active,"
		" revision, created_ms, updated_ms) VALUES ($1, $2, $3, $4, $5, 1, $6, $6)"
		" RETURNING id",
	STATEMENT(DICTIONARY_CHANGE) =
		"UPDATE dictionary SET revision = revision + 1, updated_ms = $8, "
		SET("$3", "1", "name", "$4") ", " SET("$3", "2", "description", "$5") ", "
		SET("$3", "4", "language", "$6") ", " SET("$3", "8", "is_active", "$7")
		" WHERE id = $1 AND project_id = $2",
	STATEMENT(DICTIONARY_REMOVE) = "DELETE FROM dictionary WHERE id = $1 AND project_id = $2",
	STATEMENT(DICTIONARY_TOUCH) =
		"UPDATE dictionary SET revision = revision + 1 WHERE id = $1",

	STATEMENT(ENTRY_LIST) =
		"SELECT " ENTRY_COLUMNS " FROM entry WHERE dictionary_id = $1"
		" AND ($2::text IS NULL OR strpos(folded, $2) > 0)"
		" ORDER BY id LIMIT nullif($3, -1) OFFSET $4",
	STATEMENT(ENTRY_COUNT) =
		"SELECT count(*) FROM entry WHERE dictionary_id = $1"
		" AND ($2::text IS NULL OR strpos(folded, $2) > 0)",
	STATEMENT(ENTRY_GET) =
		"SELECT " ENTRY_COLUMNS " FROM entry WHERE id = $1 AND dictionary_id = $2",
	STATEMENT(ENTRY_ADD) =
		"INSERT INTO entry (dictionary_id, word, folded, replacement, ipa, case_sensitive,"
		" created_ms, updated_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id",
	STATEMENT(ENTRY_CHANGE) =
		"UPDATE entry SET updated_ms = $9, " SET("$3", "1", "word", "$4") ", "
		SET("$3", "1", "folded", "$5") ", " SET("$3", "2", "replacement", "$6") ", "
		SET("$3", "4", "ipa", "$7") ", " SET("$3", "8", "case_sensitive", "$8")
		" WHERE id = $1 AND dictionary_id = $2",
	STATEMENT(ENTRY_REMOVE) = "DELETE FROM entry WHERE id = $1 AND dictionary_id = $2",
	STATEMENT(ENTRY_UPSERT_ALL) =
		"INSERT INTO entry AS e (dictionary_id, word, folded, replacement, ipa,"
		" case_sensitive, created_ms, updated_ms)"
		" SELECT $1, word, folded, replacement, ipa, case_sensitive <> 0, $7, $7"
		" FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])"
		"  WITH ORDINALITY AS g(word, folded, replacement, ipa, case_sensitive, n) ORDER BY n"
		" ON CONFLICT (dictionary_id, word) DO UPDATE SET updated_ms = excluded.updated_ms,"
		" replacement = excluded.replacement, ipa = excluded.ipa,"
		" case_sensitive = excluded.case_sensitive"
		" WHERE (e.replacement, e.ipa, e.case_sensitive) IS DISTINCT FROM"
		"  (excluded.replacement, excluded.ipa, excluded.case_sensitive)",
	STATEMENT(ENTRY_REMOVE_WORDS) =
		"DELETE FROM entry WHERE dictionary_id = $1"
		" AND word IN (SELECT unnest($2::text[]))",
	STATEMENT(ENTRY_REMOVE_OTHERS) =
		"DELETE FROM entry WHERE dictionary_id = $1"
		" AND word NOT IN (SELECT unnest($2::text[]))",

	STATEMENT(VOICE_LIST) = "SELECT " VOICE_COLUMNS " FROM voice ORDER BY id",
	STATEMENT(VOICE_COUNT) = "SELECT count(*) FROM voice WHERE project_id = $1",
	STATEMENT(VOICE_ADD) =
		"INSERT INTO voice (project_id, updated_ms, created_ms, name, base_id, pitch, rate,"
		" variant, description, generative_description, sample_text, sex, age, category,"
		" quality, languages, is_public, sampled_ms, revision)"
		" VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
		" $16, $17, 1) RETURNING id",
	STATEMENT(VOICE_CHANGE) =
		"UPDATE voice SET revision = revision + 1, updated_ms = $2, "
		SET("$19", "1", "name", "$3") ", " SET("$19", "2", "base_id", "$4") ", "
		SET("$19", "4", "pitch", "$5") ", " SET("$19", "8", "rate", "$6") ", "
		SET("$19", "16", "variant", "$7") ", " SET("$19", "32", "description", "$8") ", "
		SET("$19", "64", "generative_description", "$9") ", "
		SET("$19", "128", "sample_text", "$10") ", " SET("$19", "256", "sex", "$11") ", "
		SET("$19", "512", "age", "$12") ", " SET("$19", "1024", "category", "$13") ", "
		SET("$19", "2048", "quality", "$14") ", " SET("$19", "4096", "languages", "$15") ", "
		SET("$19", "8192", "is_public", "$16") ", "
		SET("$19", "16384", "sampled_ms", "$17")
		" WHERE id = $18 AND project_id = $1",
	STATEMENT(VOICE_REMOVE) = "DELETE FROM voice WHERE id = $1 AND project_id = $2",

	STATEMENT(SPEECH_ENGINE_GET) =
		SPEECH_ENGINES "WHERE e.id = $1 AND ($2::bigint = 0 OR e.project_id = $2)",
	STATEMENT(SPEECH_ENGINE_COUNT) =
		"SELECT count(*) FROM speech_engine WHERE project_id = $1",
	STATEMENT(SPEECH_ENGINE_ADD) =
		"INSERT INTO speech_engine (id, project_id, name, folded, key_id, config,"
		" created_ms, updated_ms, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, 1)",
	STATEMENT(SPEECH_ENGINE_CHANGE) =
		"UPDATE speech_engine SET revision = revision + 1, updated_ms = $7, "
		SET("$8", "1", "name", "$3") ", " SET("$8", "1", "folded", "$4") ", "
		SET("$8", "2", "key_id", "$5") ", " SET("$8", "4", "config", "$6")
		" WHERE id = $1 AND project_id = $2 AND ($9::bigint = 0 OR revision = $9)",
	STATEMENT(SPEECH_ENGINE_REMOVE) =
		"DELETE FROM speech_engine WHERE id = $1 AND project_id = $2",
	STATEMENT(SPEECH_ENGINE_BY_TIME) =
		SPEECH_ENGINES_BY("created_ms", "bigint", ">", "ASC"),
	STATEMENT(SPEECH_ENGINE_BY_TIME_DOWN) =
		SPEECH_ENGINES_BY("created_ms", "bigint", "<", "DESC"),
	STATEMENT(SPEECH_ENGINE_BY_NAME) = SPEECH_ENGINES_BY("folded", "text", ">", "ASC"),
	STATEMENT(SPEECH_ENGINE_BY_NAME_DOWN) =
		SPEECH_ENGINES_BY("folded", "text", "<", "DESC"),

	STATEMENT(VERSION) = "SELECT version FROM change",
	STATEMENT(CHANGES) =
		"SELECT kind, project_id, version FROM change_of_project WHERE version > $1",
	/* The application_name is set by postgres_connection.c; PostgreSQL does not show those of
	 * other roles. */
	STATEMENT(OTHERS) =
		"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
		" AND application_name = 'syrinx' AND pid <> pg_backend_pid()",
	STATEMENT(BEGIN) = "BEGIN",
	STATEMENT(COMMIT) = "COMMIT",
	STATEMENT(ROLLBACK) = "ROLLBACK",
};
/* clang-format on */
