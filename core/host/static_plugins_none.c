/* static_plugins_none.c - the table of a program that loads its plugins: empty, and weak, so that a
 * static program's counts. */
#include "core/host/static_plugins.h"

__attribute__((weak)) const eg_static_plugin eg_static_plugins[] = {{NULL, NULL}};
