/* grown.h - the growth rule for structs that cross the plugin border by pointer and begin with
 * their size (engram/plugin.h): each side knows as much of a struct as its own header declares. */
#ifndef EG_BASE_GROWN_H
#define EG_BASE_GROWN_H

#include <stdint.h>
#include <string.h>

/* Copies a struct of from_size bytes into one of to_size, as far as both reach; the rest of *to is
 * zero, and its size is its own. */
static inline void eg_copy_grown(void *to, uint32_t to_size, const void *from, uint32_t from_size) {
    memset(to, 0, to_size);
    memcpy(to, from, from_size < to_size ? from_size : to_size);
    memcpy(to, &to_size, sizeof to_size);
}

#endif
