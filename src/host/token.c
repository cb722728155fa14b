#include "host/token.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)PT_TOKEN_DIGEST_BYTES == (int)SHA256_DIGEST_SIZE, "of the same kind");

static void digest_word(const char *word, size_t len, uint8_t digest[PT_TOKEN_DIGEST_BYTES])
{
	struct sha256_ctx sha256;

	sha256_init(&sha256);
	sha256_update(&sha256, len, (const uint8_t *)word);
	sha256_digest(&sha256, SHA256_DIGEST_SIZE, digest);
}

static int check_file(int fd, const char *path, struct pt_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pt_fail(err, PT_EIO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return pt_fail(err, PT_EARG, "%s is not a regular file", path);
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return pt_fail(err, PT_EARG, "%s: its group or others may use it (mode %03o): chmod 600 %s", path,
			       (unsigned)st.st_mode & 0777, path);
	return 0;
}

static int take_word(struct pt_token *token, const char *text, size_t n, const char *path, struct pt_err *err)
{
	static const char space[] = " \t\r\n";
	size_t len = 0;

	while (n > 0 && memchr(space, *text, sizeof(space) - 1) != NULL)
		text++, n--;
	while (n > 0 && memchr(space, text[n - 1], sizeof(space) - 1) != NULL)
		n--;
	while (len < n && text[len] > ' ' && text[len] < 0x7f)
		len++;
	if (len < n)
		return pt_fail(err, PT_EARG, "%s: a token is one word of visible ASCII characters", path);
	if (n < PT_TOKEN_LEAST || n > PT_TOKEN_MOST)
		return pt_fail(err, PT_EARG, "%s: a token has %d to %d characters, this one %zu", path, PT_TOKEN_LEAST,
			       PT_TOKEN_MOST, n);
	digest_word(text, n, token->digest);
	return 0;
}

/* A file that fills the buffer is too long. */
static int read_word(struct pt_token *token, int fd, const char *path, struct pt_err *err)
{
	char text[PT_TOKEN_MOST + 64];
	size_t n = 0;
	ssize_t got;
	int rc;

	do {
		got = read(fd, text + n, sizeof(text) - n);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		rc = pt_fail(err, PT_EIO, "%s: %s", path, strerror(errno));
	else if (n == sizeof(text))
		rc = pt_fail(err, PT_EARG, "%s: the file of a token has at most %zu bytes", path, sizeof(text) - 1);
	else
		rc = take_word(token, text, n, path, err);
	explicit_bzero(text, sizeof(text));
	return rc;
}

int pt_token_read(struct pt_token *token, const char *path, struct pt_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;

	if (fd < 0)
		return pt_fail(err, PT_EIO, "%s: %s", path, strerror(errno));
	rc = check_file(fd, path, err);
	if (rc == 0)
		rc = read_word(token, fd, path, err);
	close(fd);
	return rc;
}

bool pt_token_fits(const struct pt_token *token, const char *word)
{
	uint8_t digest[PT_TOKEN_DIGEST_BYTES];

	digest_word(word, strlen(word), digest);
	return memeql_sec(digest, token->digest, sizeof(digest)) != 0;
}
