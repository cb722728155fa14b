/* Errors: a negative code for the program, a sentence for the user.
 * The lowest layer says what happened, each caller prefixes what it was doing, the top prints it once. */
#ifndef PT_ERROR_H
#define PT_ERROR_H

enum pt_code {
	PT_EARG = -1,		/* an argument is wrong; nothing was done */
	PT_EIO = -2,		/* the device or its connection is gone; close it */
	PT_ETIMEOUT = -3,	/* no answer, or only WAIT, until the deadline */
	PT_EFAULT = -4,		/* the target's bus refused an access */
	PT_ESTATE = -5,		/* not possible in this state (the core runs, the chip is locked, a profile runs, ...) */
	PT_EUNSUPPORTED = -6,	/* this probe, chip or version cannot do it */
	PT_EINTERRUPTED = -7,	/* pt_link_interrupt() ended the call early */
	PT_EBUSY = -8,		/* another process or client uses it; the sentence names the owner */
	PT_ENOMEM = -9,		/* a documented limit was reached */
	PT_EPERM = -10,		/* the operating system refused; the sentence says how to get permission */
	PT_EPROTO = -11,	/* the other side answered, but not what its protocol allows */
};

struct pt_err {
	int code;
	char msg[1000];		/* no function or file names, no final full stop or newline */
};

/* Sets msg and returns code. err may be NULL: then only the code counts. */
int pt_fail(struct pt_err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prefixes msg with the sentence and ": ", and returns err->code. */
int pt_wrap(struct pt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds "; " and what the user does next, and returns err->code. */
int pt_advise(struct pt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
