/* The emulated device in umockdev's test bed. */
#ifndef PT_TESTS_FOREIGN_TESTBED_H
#define PT_TESTS_FOREIGN_TESTBED_H

void testbed_plug(void);
void testbed_free(void);

#endif
