/* Errors: set where they happen, never overwritten on the way up.
 *
 * Every fallible function has the shape `int noun_verb(out, object, ..., struct err *err)` and returns 0 or
 * one of the negative codes below. The caller owns the struct; a null pointer means that the text is not
 * wanted. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
    ERR_MEMORY = -1,  /* an allocation failed */
    ERR_USAGE = -2,   /* wrong use: bad option, bad spec, bad file given by the user; programs exit with 2 */
    ERR_SYSTEM = -3,  /* the operating system said no: file, socket, process */
    ERR_GPU = -4,     /* the driver or a kernel failed, or a kernel does not compile */
    ERR_MISSING = -5, /* something optional is not here: GPU, NVRTC, record */
    ERR_FORMAT =
        -6, /* bytes that are not what they claim to be: ELF, journal, profile; programs exit with 2 */
    ERR_STOPPED = -7 /* the user interrupted, or a deadline passed */
};

struct err {
    int code;        /* 0 while nothing has failed, else an enum err_code */
    char text[1024]; /* one line that names the offending place and the remedy, without a final newline */
};

/* Records the first error and returns its code, so that `return err_set(err, ERR_USAGE, "...")` works. A
 * later call changes nothing: the first error wins. Text that does not fit is cut. Returns `code` when err is
 * null. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text of an error already set, to name the place on the way up. */
void err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* err_set(err, ERR_MEMORY, "out of memory"). */
int err_memory(struct err *err);

/* Forgets the error, so that the struct can be used again. */
void err_clear(struct err *err);

#endif
