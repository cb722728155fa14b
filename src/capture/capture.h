/* The capture file: the chunks of a session as they came, one record each, so that any analysis can be run again.
 *
 * All numbers are little-endian. A preamble, then records up to the end of the file; records are only ever appended.
 *
 *   preamble   magic[8], le32 version, le32 file id (random), le32 0, le32 CRC-32 of the 20 bytes before
 *   record     a head of PT_CAPTURE_HEAD_BYTES, then its payload as stored
 *
 * A head has a CRC-32 of its own (zlib's: polynomial 0xedb88320) and one of the payload, so that damage is confined:
 * with a sound head the time that is missing is known and the next record is found; else the next one is searched for
 * by its mark, its CRC and the file id, which no record of another file has. Records are numbered, so that missing
 * ones are noticed. A payload is a zstd frame where the flag says so.
 *
 * Kinds of record:
 *   HEAD    the first, one or more: together "key=value\n" lines, PT_CAPTURE_MOST_LINES bytes at most. Keys: program,
 *           date (UTC), probe, target, virtual, core_hz, elf (path as it was given), elf_absolute, elf_build_id,
 *           elf_sha256 (of the file's bytes), set.KEY for each setting that shapes a report, elf.KEY for those of the
 *           ELF. Nothing else of it matters to a report.
 *   CHUNK   one chunk: its fields are in the head, len_bytes of payload
 *   RESET   the user began the statistics anew here
 *   CUT     the writer ended here, not the session: payload says why
 * A reader skips kinds that it does not know. A change that alters the meaning of other records needs a new version.
 *
 * A file without an END chunk was cut short: by a crash, a full disk or a quota. The records before that are
 * complete. */
#ifndef PT_CAPTURE_H
#define PT_CAPTURE_H

#include <stdbool.h>

#include "trace/chunk.h"

#define PT_CAPTURE_MAGIC "\211PTCAP\r\n"	/* 8 bytes: not text, and damaged by any translation of line ends */
#define PT_CAPTURE_MARK "\302PT\232"		/* 4 bytes at the front of each record */
enum { PT_CAPTURE_VERSION = 1 };

enum { PT_CAPTURE_AT_VERSION = 8, PT_CAPTURE_AT_ID = 12, PT_CAPTURE_AT_CRC = 20, PT_CAPTURE_PREAMBLE_BYTES = 24 };

enum {			/* offsets in the head of a record */
	PT_RECORD_MARK = 0, PT_RECORD_CRC = 4,		/* CRC of the head's bytes after it */
	PT_RECORD_ID = 8, PT_RECORD_NUMBER = 12,	/* from 0 on, modulo 2^32 */
	PT_RECORD_STORED = 16, PT_RECORD_LEN = 20,	/* payload in bytes: as stored, and uncompressed */
	PT_RECORD_PAYLOAD_CRC = 24,			/* of the payload as stored */
	PT_RECORD_KIND = 28, PT_RECORD_FLAGS = 30,	/* le16 */
	PT_RECORD_FROM_NS = 32, PT_RECORD_TO_NS = 40, PT_RECORD_LOST_BYTES = 48,
	PT_RECORD_SOURCE = 56, PT_RECORD_CORE = 58, PT_RECORD_CHUNK_KIND = 60, PT_RECORD_CAUSE = 62,	/* le16 */
	PT_CAPTURE_HEAD_BYTES = 64,
};

enum pt_record_kind { PT_RECORD_HEAD = 1, PT_RECORD_CHUNK, PT_RECORD_RESET, PT_RECORD_CUT };
enum { PT_RECORD_ZSTD = 1 };	/* flag */
enum { PT_CAPTURE_MOST_LINES = 1 << 20 };
/* the stored form is never longer than the payload */
enum { PT_RECORD_MOST_BYTES = PT_CAPTURE_HEAD_BYTES + PT_CHUNK_BYTES };

struct pt_record {		/* the head of a record */
	uint32_t id, number, stored_bytes, payload_crc;
	uint16_t kind, flags;
	struct pt_chunk chunk;	/* all 0 but len_bytes in records that are not a CHUNK */
};

void pt_preamble_pack(uint8_t bytes[PT_CAPTURE_PREAMBLE_BYTES], uint32_t id);
void pt_record_pack(uint8_t bytes[PT_CAPTURE_HEAD_BYTES], const struct pt_record *record);
/* False: bytes are not the head of a record. */
bool pt_record_unpack(struct pt_record *record, const uint8_t bytes[PT_CAPTURE_HEAD_BYTES]);
uint32_t pt_capture_crc(const uint8_t *bytes, size_t len_bytes);	/* CRC-32 */

#endif
