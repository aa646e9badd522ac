/*
 * disk_record.h: a row of the ledger as it stands in files of the local disk.
 *
 * Of one size, little-endian, with a checksum; two to a disk's sector, so that one
 * is written whole or not at all.  Bytes from a file are foreign: nothing of a
 * record that is not whole is used.
 *
 * There are two versions.  A speech row is written as the first, which has no kind, so that
 * the previous release, which may find the file, books it correctly.  All other rows use the
 * second version, which the previous release cannot read: it books the rows that it can read
 * and keeps the file under another name (".damaged"); adopt.c reads the remaining rows from
 * such files.
 */
#ifndef ACCOUNT_DISK_RECORD_H
#define ACCOUNT_DISK_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define DISK_RECORD_SIZE 256

#define DISK_RECORD_SPEECH 1 /* versions */
#define DISK_RECORD_KINDS 2

/* The version that the row has on the disk. */
int disk_record_version(const struct store_turn *turn);

/* `number` is the record's place, so that one that was copied elsewhere is none. */
void disk_record_write(uint8_t bytes[DISK_RECORD_SIZE], uint64_t number,
		       const struct store_turn *turn);

/* ENOENT for one that is all zeros: never written, or cleared.  EBADMSG. */
int disk_record_read(struct store_turn *turn, uint64_t *number,
		     const uint8_t bytes[DISK_RECORD_SIZE]);

/* For the headers of these files too. */
void disk_record_put_number(uint8_t *bytes, uint64_t value);
uint64_t disk_record_number(const uint8_t *bytes);
uint64_t disk_record_checksum(const uint8_t *bytes, size_t len);

#endif
