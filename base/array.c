#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int array_grow(void *array, size_t count, size_t size, struct err *err)
{
    const size_t capacity = count ? 2 * count : 1;
    void *items;

    if (count & (count - 1))
        return 0;
    memcpy(&items, array, sizeof items); /* whatever it points to */
    items = count > SIZE_MAX / 4 / size ? NULL : realloc(items, capacity * size);
    if (!items)
        return err_memory(err);
    memcpy(array, &items, sizeof items);
    return 0;
}
