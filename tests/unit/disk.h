/* A disk that fails: the calls with which the modules under test write come here by the linker's --wrap
 * (disk_test() in tests/unit/CMakeLists.txt). It notes their order, and fails or tears the one that it is
 * told to. */
#ifndef TESTS_UNIT_DISK_H
#define TESTS_UNIT_DISK_H

enum disk_fault {
    DISK_EIO,   /* the call fails once */
    DISK_FULL,  /* from this call on half of what is written fits, then nothing */
    DISK_SHORT, /* from this call on every write takes half of what it is given */
    DISK_EINTR, /* a write is interrupted once */
    DISK_FAULTS
};

/* Begins the notes anew; the `nth` call from now (0 the first, -1 none) meets the fault. */
void disk_start(int nth, enum disk_fault fault);

/* What was called: w a write, t a cut, s and d a sync of a file (d: of its data), S one of a folder, r a
 * rename, l a link. */
const char *disk_log(void);

/* Lets the monotonic clock run ahead. */
void disk_pass(double seconds);

#endif
