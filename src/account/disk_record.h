/*
 * disk_record.h: the form of a row of the ledger in files on the local disk.
 *
 * Fixed size, little-endian, with a checksum; two fit exactly into a disk sector, so that a record
 * is written completely or not at all.  The bytes of a file are not trusted: an incomplete record
 * is never used.
 *
 * There are two versions.  A speech row is written as the first, which has no kind, so that the
 * previous release, which may find the file, books it correctly.  All other rows use the second
 * version, which the previous release cannot read: it books the rows that it can read and keeps
 * the file under another name (".damaged"); recovery.c reads the remaining rows from such files.
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

/* `number` is the position of the record, so that a record that was copied to another position is
 * invalid. */
void disk_record_write(uint8_t bytes[DISK_RECORD_SIZE], uint64_t number,
		       const struct store_turn *turn);

/* ENOENT for a record of zeros, which was never written or was cleared; EBADMSG. */
int disk_record_read(struct store_turn *turn, uint64_t *number,
		     const uint8_t bytes[DISK_RECORD_SIZE]);

/* These are also used for the headers of the files. */
void disk_record_put_number(uint8_t *bytes, uint64_t value);
uint64_t disk_record_number(const uint8_t *bytes);
uint64_t disk_record_checksum(const uint8_t *bytes, size_t len);

#endif
