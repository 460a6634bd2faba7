/* What a cache keeps of data that comes again. */
#ifndef MODEL_KEPT_H
#define MODEL_KEPT_H

/* The share of `bytes`, touched again and again, that a cache of `cache` bytes still holds which replaces at random: what is
 * touched again is still there unless one of the misses in between, a share 1 - h of all, took its place. Below its size all is. */
double kept_at_random(double bytes, double cache);

#endif
