/* What the words of device.def stand for. */
#ifndef MODEL_DEVICE_WORDS_H
#define MODEL_DEVICE_WORDS_H

enum { HIGHER = 1, LOWER = 0, ABOVE_0 = 1, FROM_0 = 0, FULL = 1, READ = 0 };

#endif
