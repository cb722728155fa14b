/* Packs and unpacks heads of records, field by field. */
#include "capture/capture.h"

#include <string.h>
#include <zlib.h>

#include "base/util.h"

uint32_t pt_capture_crc(const uint8_t *bytes, size_t len_bytes)
{
	return (uint32_t)crc32_z(0, bytes, len_bytes);
}

void pt_preamble_pack(uint8_t bytes[PT_CAPTURE_PREAMBLE_BYTES], uint32_t id)
{
	memset(bytes, 0, PT_CAPTURE_PREAMBLE_BYTES);
	memcpy(bytes, PT_CAPTURE_MAGIC, strlen(PT_CAPTURE_MAGIC));
	pt_put_le32(bytes + PT_CAPTURE_AT_VERSION, PT_CAPTURE_VERSION);
	pt_put_le32(bytes + PT_CAPTURE_AT_ID, id);
	pt_put_le32(bytes + PT_CAPTURE_AT_CRC, pt_capture_crc(bytes, PT_CAPTURE_AT_CRC));
}

static uint32_t head_crc(const uint8_t bytes[PT_CAPTURE_HEAD_BYTES])
{
	return pt_capture_crc(bytes + PT_RECORD_ID, PT_CAPTURE_HEAD_BYTES - PT_RECORD_ID);
}

void pt_record_pack(uint8_t bytes[PT_CAPTURE_HEAD_BYTES], const struct pt_record *r)
{
	memcpy(bytes, PT_CAPTURE_MARK, PT_RECORD_CRC);
	pt_put_le32(bytes + PT_RECORD_ID, r->id);
	pt_put_le32(bytes + PT_RECORD_NUMBER, r->number);
	pt_put_le32(bytes + PT_RECORD_STORED, r->stored_bytes);
	pt_put_le32(bytes + PT_RECORD_LEN, r->chunk.len_bytes);
	pt_put_le32(bytes + PT_RECORD_PAYLOAD_CRC, r->payload_crc);
	pt_put_le16(bytes + PT_RECORD_KIND, r->kind);
	pt_put_le16(bytes + PT_RECORD_FLAGS, r->flags);
	pt_put_le64(bytes + PT_RECORD_FROM_NS, r->chunk.from_ns);
	pt_put_le64(bytes + PT_RECORD_TO_NS, r->chunk.to_ns);
	pt_put_le64(bytes + PT_RECORD_LOST_BYTES, r->chunk.lost_bytes);
	pt_put_le16(bytes + PT_RECORD_SOURCE, r->chunk.source);
	pt_put_le16(bytes + PT_RECORD_CORE, r->chunk.core);
	pt_put_le16(bytes + PT_RECORD_CHUNK_KIND, r->chunk.kind);
	pt_put_le16(bytes + PT_RECORD_CAUSE, r->chunk.cause);
	pt_put_le32(bytes + PT_RECORD_CRC, head_crc(bytes));
}

bool pt_record_unpack(struct pt_record *r, const uint8_t bytes[PT_CAPTURE_HEAD_BYTES])
{
	if (memcmp(bytes, PT_CAPTURE_MARK, PT_RECORD_CRC) != 0 || pt_le32(bytes + PT_RECORD_CRC) != head_crc(bytes))
		return false;
	*r = (struct pt_record){
		.id = pt_le32(bytes + PT_RECORD_ID), .number = pt_le32(bytes + PT_RECORD_NUMBER),
		.stored_bytes = pt_le32(bytes + PT_RECORD_STORED),
		.payload_crc = pt_le32(bytes + PT_RECORD_PAYLOAD_CRC),
		.kind = pt_le16(bytes + PT_RECORD_KIND), .flags = pt_le16(bytes + PT_RECORD_FLAGS),
		.chunk = {
			.from_ns = pt_le64(bytes + PT_RECORD_FROM_NS), .to_ns = pt_le64(bytes + PT_RECORD_TO_NS),
			.lost_bytes = pt_le64(bytes + PT_RECORD_LOST_BYTES),
			.source = pt_le16(bytes + PT_RECORD_SOURCE), .core = pt_le16(bytes + PT_RECORD_CORE),
			.kind = pt_le16(bytes + PT_RECORD_CHUNK_KIND),
			.cause = pt_le16(bytes + PT_RECORD_CAUSE), .len_bytes = pt_le32(bytes + PT_RECORD_LEN),
		},
	};
	return r->stored_bytes <= PT_CHUNK_BYTES && r->chunk.len_bytes <= PT_CHUNK_BYTES &&
	       ((r->flags & PT_RECORD_ZSTD) != 0 || r->stored_bytes == r->chunk.len_bytes);
}
