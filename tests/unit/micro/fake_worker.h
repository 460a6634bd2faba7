/* A worker without a GPU: it answers every launch with stamps that are plausible in form, so that a whole
 * calibration, from compiling over checking machine code to the profile, runs in a unit test. */
#ifndef TESTS_UNIT_MICRO_FAKE_WORKER_H
#define TESTS_UNIT_MICRO_FAKE_WORKER_H

enum { FAKE_SMS = 8, FAKE_STEP_SAMPLES = 6400, FAKE_SPAN = 1000000 };

extern unsigned fake_sm;   /* architecture it claims to be */
extern unsigned fake_runs; /* launches answered */

#endif
