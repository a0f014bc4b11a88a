/* elf_size.h - whether a shared library is all there. The loader of the C library maps what the
 * headers of a file promise; where the file ends before that, touching the rest kills the process
 * (SIGBUS) and gives no error. Not a check of anything else in the file. Used by
 * plugin_loader.c. */
#ifndef EG_HOST_ELF_SIZE_H
#define EG_HOST_ELF_SIZE_H

#include <sys/types.h>

#include "core/include/engram/status.h"

/* EG_EFORMAT when the file behind fd is an ELF file of this machine's class whose segments go past
 * its size. What is no such file is left to the loader, which refuses it. path is for messages.
 * EG_EIO. */
eg_status eg_elf_check_size(int fd, off_t size, const char *path, eg_error *err);

#endif
