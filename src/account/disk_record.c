/*
 * disk_record.c: the form of a row of the ledger in a file (see disk_record.h).
 */
#include "account/disk_record.h"

#include <errno.h>
#include <string.h>

/* The offsets of the fields; numbers have eight bytes each. */
enum {
	AT_NUMBER = 0,
	AT_KEY = 8,
	AT_ACCOUNT = 16,
	AT_TIME = 24,
	AT_STATUS = 32,
	AT_SAMPLES = 40,
	AT_RATE = 48,
	AT_CHARACTERS = 56,
	AT_VOICE = 64,
	AT_AMOUNT = 72,
	AT_ID = 80,
	AT_SERVER = AT_ID + STORE_TURN_ID_MAX,
	AT_MODEL = AT_SERVER + STORE_SERVER_ID_LEN,
	AT_SPEECH_END = AT_MODEL + STORE_MODEL_OLD_SIZE,
	/* These fields exist only in the second version, which has its model at AT_WHOLE_MODEL and
	 * leaves AT_MODEL empty. */
	AT_QUANTITY = AT_SPEECH_END,
	AT_KIND = AT_QUANTITY + 8, /* bits 0-7: the kind, 8-15: the unit, 16: is_estimated */
	AT_WHOLE_MODEL = AT_KIND + 8,
	AT_END = AT_WHOLE_MODEL + STORE_MODEL_SIZE,
	AT_VERSION = DISK_RECORD_SIZE - 16,
	AT_CHECKSUM = DISK_RECORD_SIZE - 8,
};

_Static_assert((int)AT_END <= (int)AT_VERSION, "a record has room for a row");

void disk_record_put_number(uint8_t *bytes, uint64_t value)
{
	for (int i = 0; i < 8; ++i)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

uint64_t disk_record_number(const uint8_t *bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; ++i)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

/* FNV-1a: detects torn writes and bit rot, not manipulation. */
uint64_t disk_record_checksum(const uint8_t *bytes, size_t len)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < len; ++i)
		sum = (sum ^ bytes[i]) * UINT64_C(1099511628211);
	return sum;
}

int disk_record_version(const struct store_turn *turn)
{
	bool is_speech = turn->kind == STORE_KIND_SPEECH && turn->unit == STORE_UNIT_SAMPLES &&
			 !turn->is_estimated && strlen(turn->model_id) < STORE_MODEL_OLD_SIZE;

	return is_speech ? DISK_RECORD_SPEECH : DISK_RECORD_KINDS;
}

/* The fields that the second version adds to the first. */
static void disk_record_write_kind(uint8_t *bytes, const struct store_turn *turn)
{
	disk_record_put_number(bytes + AT_QUANTITY, store_turn_quantity(turn));
	disk_record_put_number(bytes + AT_KIND, (uint64_t)turn->kind | (uint64_t)turn->unit << 8 |
							(uint64_t)turn->is_estimated << 16);
	memcpy(bytes + AT_WHOLE_MODEL, turn->model_id,
	       strnlen(turn->model_id, sizeof(turn->model_id) - 1));
}

void disk_record_write(uint8_t bytes[DISK_RECORD_SIZE], uint64_t number,
		       const struct store_turn *turn)
{
	int version = disk_record_version(turn);

	memset(bytes, 0, DISK_RECORD_SIZE);
	disk_record_put_number(bytes + AT_NUMBER, number);
	disk_record_put_number(bytes + AT_KEY, (uint64_t)turn->key_id);
	disk_record_put_number(bytes + AT_ACCOUNT, (uint64_t)turn->account_id);
	disk_record_put_number(bytes + AT_TIME, (uint64_t)turn->at_ms);
	disk_record_put_number(bytes + AT_STATUS, (uint64_t)turn->status);
	disk_record_put_number(bytes + AT_SAMPLES, turn->samples);
	disk_record_put_number(bytes + AT_RATE, turn->sample_rate);
	disk_record_put_number(bytes + AT_CHARACTERS, turn->characters);
	disk_record_put_number(bytes + AT_VOICE, (uint64_t)turn->voice_id);
	disk_record_put_number(bytes + AT_AMOUNT, (uint64_t)turn->amount_microcents);
	disk_record_put_number(bytes + AT_VERSION, (uint64_t)version);
	memcpy(bytes + AT_ID, turn->id, strnlen(turn->id, STORE_TURN_ID_MAX));
	memcpy(bytes + AT_SERVER, turn->server, strnlen(turn->server, STORE_SERVER_ID_LEN));
	if (version == DISK_RECORD_SPEECH)
		memcpy(bytes + AT_MODEL, turn->model_id,
		       strnlen(turn->model_id, STORE_MODEL_OLD_SIZE - 1));
	else
		disk_record_write_kind(bytes, turn);
	disk_record_put_number(bytes + AT_CHECKSUM, disk_record_checksum(bytes, AT_CHECKSUM));
}

/* Reads a string that must be padded with zeros up to `max` bytes. */
static bool disk_record_read_text(char *text, const uint8_t *bytes, size_t max)
{
	size_t len = strnlen((const char *)bytes, max);

	for (size_t i = len; i < max; ++i) {
		if (bytes[i] != 0)
			return false;
	}
	memcpy(text, bytes, len);
	text[len] = '\0';
	return true;
}

static bool disk_record_is_blank(const uint8_t *bytes)
{
	static const uint8_t blank[DISK_RECORD_SIZE];

	return memcmp(bytes, blank, sizeof(blank)) == 0;
}

static bool disk_record_read_texts(struct store_turn *turn, const uint8_t *bytes)
{
	return disk_record_read_text(turn->id, bytes + AT_ID, STORE_TURN_ID_MAX) &&
	       turn->id[0] != '\0' &&
	       disk_record_read_text(turn->server, bytes + AT_SERVER, STORE_SERVER_ID_LEN);
}

/* Rows of the first version are speech. */
static bool disk_record_read_kind(struct store_turn *turn, const uint8_t *bytes)
{
	uint64_t version = disk_record_number(bytes + AT_VERSION);
	uint64_t kind = disk_record_number(bytes + AT_KIND);

	if (version == DISK_RECORD_SPEECH) {
		turn->quantity = turn->samples;
		return disk_record_read_text(turn->model_id, bytes + AT_MODEL,
					     STORE_MODEL_OLD_SIZE - 1);
	}
	if (version != DISK_RECORD_KINDS || kind >> 17 || (kind & 0xff) >= STORE_KIND_COUNT ||
	    (kind >> 8 & 0xff) >= STORE_UNIT_COUNT)
		return false;
	turn->quantity = disk_record_number(bytes + AT_QUANTITY);
	turn->kind = (enum store_kind)(kind & 0xff);
	turn->unit = (enum store_unit)(kind >> 8 & 0xff);
	turn->is_estimated = kind >> 16;
	return disk_record_read_text(turn->model_id, bytes + AT_WHOLE_MODEL,
				     sizeof(turn->model_id) - 1);
}

int disk_record_read(struct store_turn *turn, uint64_t *number,
		     const uint8_t bytes[DISK_RECORD_SIZE])
{
	struct store_turn read = {
		.key_id = (int64_t)disk_record_number(bytes + AT_KEY),
		.account_id = (int64_t)disk_record_number(bytes + AT_ACCOUNT),
		.at_ms = (int64_t)disk_record_number(bytes + AT_TIME),
		.status = (enum store_turn_status)(disk_record_number(bytes + AT_STATUS) & 0xff),
		.samples = disk_record_number(bytes + AT_SAMPLES),
		.sample_rate = (uint32_t)disk_record_number(bytes + AT_RATE),
		.characters = disk_record_number(bytes + AT_CHARACTERS),
		.voice_id = (int64_t)disk_record_number(bytes + AT_VOICE),
		.amount_microcents = (int64_t)disk_record_number(bytes + AT_AMOUNT),
	};

	if (disk_record_is_blank(bytes))
		return ENOENT;
	if (disk_record_number(bytes + AT_CHECKSUM) != disk_record_checksum(bytes, AT_CHECKSUM) ||
	    disk_record_number(bytes + AT_STATUS) > STORE_TURN_LOST ||
	    disk_record_number(bytes + AT_RATE) > UINT32_MAX ||
	    !disk_record_read_texts(&read, bytes) || !disk_record_read_kind(&read, bytes))
		return EBADMSG;
	*number = disk_record_number(bytes + AT_NUMBER);
	*turn = read;
	return 0;
}
