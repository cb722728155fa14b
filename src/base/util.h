/* Array length; little- and big-endian loads and stores. */
#ifndef PT_UTIL_H
#define PT_UTIL_H

#include <stddef.h>
#include <stdint.h>

#define PT_LEN(array) (sizeof(array) / sizeof((array)[0]))
#define PT_UNKNOWN UINT64_MAX	/* a tick, time, byte count or address that is not known */
#define PT_NS_PER_MS UINT64_C(1000000)
#define PT_NS_PER_S UINT64_C(1000000000)

static inline uint16_t pt_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t pt_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t pt_le64(const uint8_t *p)
{
	return pt_le32(p) | (uint64_t)pt_le32(p + 4) << 32;
}

static inline void pt_put_le16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void pt_put_le32(uint8_t *p, uint32_t v)
{
	pt_put_le16(p, (uint16_t)v);
	pt_put_le16(p + 2, (uint16_t)(v >> 16));
}

static inline void pt_put_le64(uint8_t *p, uint64_t v)
{
	pt_put_le32(p, (uint32_t)v);
	pt_put_le32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t pt_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t pt_be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t pt_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | pt_be24(p + 1);
}

static inline void pt_put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void pt_put_be24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	pt_put_be16(p + 1, (uint16_t)v);
}

static inline void pt_put_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	pt_put_be24(p + 1, v);
}

#endif
