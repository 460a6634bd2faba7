/* The buffers of launches on the GPU, kept from trial to trial.
 *
 * A buffer is known by the hash of its argument (name, type, count, role, fill), so launches that share
 * arguments share memory, variants and reference alike. Contents are what fill_read gives, made once, by the
 * GPU where it can; `in` and `inout` buffers have a pristine copy beside them. Guards of at least 4 KiB stand
 * before and behind each. */
#ifndef GPU_BUFFERS_H
#define GPU_BUFFERS_H

#include "launch/launch.h"
#include "gpu/kernels_host.h"

struct buffer {
    uint64_t key;
    char *name;
    enum element_type type;
    enum role role;
    uint64_t count;
    enum reduction reduction; /* how it is compared, and as how many elements */
    uint64_t kept;
    size_t bytes;
    gpu_address allocation, data, pristine; /* pristine: 0 where nothing is filled */
    uint64_t used;                          /* the last time that it was bound, by `now` */
};

struct buffers {
    struct gpu *gpu;         /* borrowed */
    struct kernels *kernels; /* borrowed */
    struct buffer **items;
    size_t count;
    gpu_address guards; /* struct guard [2 * count]: before and behind items[k] at 2 k and 2 k + 1 */
    uint64_t now;
};

void buffers_init(struct buffers *buffers, struct gpu *gpu, struct kernels *kernels);
void buffers_release(struct buffers *buffers);

/* Begins a trial: buffers that it does not bind may be freed for those it does. */
void buffers_begin(struct buffers *buffers);

/* What a launch is given. */
struct binding {
    struct buffer *
        *buffers; /* by argument; null for scalars and symbols. The array is owned, the buffers are not */
    void **parameters; /* owned; what gpu_launch wants */
    bool *unchanged;   /* by argument, owned: an `inout` buffer that launches leave as it is */
    size_t count;
    struct gpu *gpu; /* borrowed */
};

/* Finds or makes the buffers of a launch, whose fills are prepared on the way. Stays valid until the next
 * buffers_begin. ERR_MEMORY names the buffer for which the GPU has no memory. */
int buffers_bind(struct binding *out, struct buffers *buffers, struct launch *launch, struct err *err);
void binding_release(struct binding *binding);

/* Writes the `inout` buffers that launches change from their pristine copies (queued). */
int binding_restore(const struct binding *binding, struct buffers *buffers, struct err *err);
bool binding_restores(const struct binding *binding); /* is there one? */

/* Writes the guards anew, after damage. */
int buffers_guard(struct buffers *buffers, struct err *err);

/* Writes elements that the host makes from a fill to the GPU: for symbols and expected results. */
int buffers_fill(struct buffers *buffers, gpu_address to, struct fill *fill, enum element_type type,
                 uint64_t count, struct err *err);

#endif
