/* Seconds that pass, for durations: where zero lies means nothing. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_wall_s(void);
double clock_core_s(void); /* of a core, spent by the calling thread */

#endif
