/* Figures as people read them: the unit fits the size, four digits say what a measurement can mean. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

enum { UNITS_BYTES = 32 };

void units_time(char out[UNITS_BYTES], double seconds);  /* "18.2 us", "2.743 ms", "3.2 s"; "none" for NaN */
void units_energy(char out[UNITS_BYTES], double joules); /* "12.34 mJ" */

#endif
