/* elf_size.c - see elf_size.h. Format: elf(5). */
#include "core/host/elf_size.h"

#include <elf.h>
#include <errno.h>
#include <unistd.h>

#include "core/base/status.h"

/* Bytes [at, at + n) of the file; fewer at its end. */
static ssize_t read_at(int fd, void *to, size_t n, uint64_t at) {
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return got;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static eg_status cut_off(const char *path, off_t size, uint64_t end, eg_error *err) {
    return eg_fail(err, EG_EFORMAT, "'%s' is cut off: it has %lld bytes, its segments go to byte %llu; copy or build it again",
                   path, (long long)size, (unsigned long long)end);
}

eg_status eg_elf_check_size(int fd, off_t size, const char *path, eg_error *err) {
    Elf64_Ehdr head;
    ssize_t n = read_at(fd, &head, sizeof head, 0);
    if (n < 0) return eg_fail(err, EG_EIO, "cannot read '%s': %s", path, strerror(errno));
    if ((size_t)n < sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr))
        return EG_OK;
    for (uint16_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr p;
        uint64_t at, end;
        if (__builtin_add_overflow(head.e_phoff, (uint64_t)i * sizeof p, &at) || at > INT64_MAX - sizeof p)
            return cut_off(path, size, UINT64_MAX, err);
        n = read_at(fd, &p, sizeof p, at);
        if (n < 0) return eg_fail(err, EG_EIO, "cannot read '%s': %s", path, strerror(errno));
        if ((size_t)n < sizeof p) return cut_off(path, size, at + sizeof p, err);
        if (p.p_type != PT_LOAD && p.p_type != PT_DYNAMIC) continue;
        if (__builtin_add_overflow(p.p_offset, p.p_filesz, &end)) end = UINT64_MAX;
        if (end > (uint64_t)size) return cut_off(path, size, end, err);
    }
    return EG_OK;
}
