/* Products of warp groups on their way to a sub-partition's tensor pipe, which takes them in the order of issue.
 *
 * The warp that issues one goes on at once, and the pipe takes it `lead` cycles later at the earliest. So many as `depth`
 * may be issued and not yet through the pipe; the next one waits until the first of them is. Warps of several groups
 * share the queue of their sub-partition. */
#ifndef MODEL_PRODUCTS_H
#define MODEL_PRODUCTS_H

enum { PRODUCTS_MOST = 16 /* the largest `depth` */ };

struct products {
    double lead;
    unsigned depth;             /* 1 to PRODUCTS_MOST; 0: not known, nothing is queued */
    unsigned issued;            /* so far */
    double free;                /* when the pipe is, less `lead`: an issue from then on waits for no other */
    double ends[PRODUCTS_MOST]; /* of the last ones, likewise */
};

/* One that keeps the pipe busy for `work` cycles is issued at `time`: for how long others keep it waiting. */
static inline double products_issue(struct products *products, double time, double work)
{
    const double wait = products->free > time ? products->free - time : 0;

    products->free = time + wait + work;
    products->ends[products->issued++ % PRODUCTS_MOST] = products->free;
    return wait;
}

/* When the queue takes the next one. */
static inline double products_open(const struct products *products)
{
    if (products->issued < products->depth)
        return 0;
    return products->ends[(products->issued - products->depth) % PRODUCTS_MOST] + products->lead;
}

#endif
