/* A disk that fails: preloaded into a process (LD_PRELOAD), it counts the calls on one database's files and lets one of them
 * go wrong. tests/src/disk.rs compiles and drives it. The database, its -wal, -shm and -journal are told by their names, a
 * folder by being synced.
 *
 *   MYAO_DISK_FILE   the database's file name; without it nothing is counted
 *   MYAO_DISK_LOG    gets a line for each counted call, `NUMBER KIND FILE`, and `fault` behind the one that goes wrong
 *   MYAO_DISK_AT     the number of that call, from 1; 0 or nothing for none
 *   MYAO_DISK_FAULT  what becomes of it:
 *       eio     an input/output error, once
 *       full    the disk is full from here on: half of a write is written, then ENOSPC
 *       short   half of a write is written, once
 *       eintr   a signal interrupts it, once
 *       power   the process ends, and so does what was not synced
 *   MYAO_DISK_KEPT   for `power`: the folder that gets what the disk keeps. Also filled if the process ends by itself.
 *   MYAO_DISK_SEED   for `power`: if not 0, sectors that were written and not synced survive at random
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { FDS = 4096, FILES = 4, SECTOR = 512, PATH = 4096 };
static const char *const SUFFIXES[FILES] = {"", "-wal", "-shm", "-journal"};

enum fault { NONE, EIO_ONCE, FULL, SHORT, EINTR_ONCE, POWER };

/* A write or truncation (`length` < 0) that no sync has made durable. */
struct change {
    struct change *next;
    off_t offset;
    ssize_t length;
    unsigned char bytes[];
};

static struct {
    const char *name, *kept;
    int log;
    long at, count;
    unsigned long seed;
    enum fault fault;
    int is_full;
    char path[FILES][PATH];      /* where each file is, once it was opened */
    int has_entry[FILES];        /* whether the folder on disk names the file that is there now */
    struct change *changes[FILES], **last[FILES];
    unsigned char file_of[FDS];  /* 1 + the file of a descriptor */
} disk;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

#define REAL(name) ((__typeof__(name) *)real(#name))
static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

__attribute__((constructor)) static void begin(void) {
    static const char *const faults[] = {"", "eio", "full", "short", "eintr", "power"};
    const char *log = getenv("MYAO_DISK_LOG"), *at = getenv("MYAO_DISK_AT");
    const char *fault = getenv("MYAO_DISK_FAULT"), *seed = getenv("MYAO_DISK_SEED");
    disk.kept = getenv("MYAO_DISK_KEPT");
    disk.at = at ? atol(at) : 0;
    disk.seed = seed ? strtoul(seed, NULL, 10) : 0;
    for (int n = 1; fault && n < 6; n++)
        if (!strcmp(fault, faults[n])) disk.fault = n;
    for (int n = 0; n < FILES; n++) disk.last[n] = &disk.changes[n];
    disk.log = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    disk.name = getenv("MYAO_DISK_FILE");
}

/* 1 + the file that a path names; 0 for all others. */
static int file_of_path(const char *path) {
    if (!disk.name || !path) return 0;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(disk.name);
    if (strncmp(name, disk.name, length)) return 0;
    for (int n = 0; n < FILES; n++)
        if (!strcmp(name + length, SUFFIXES[n])) return n + 1;
    return 0;
}

static int file_of(int fd) { return fd >= 0 && fd < FDS ? disk.file_of[fd] : 0; }

/* -- What the disk keeps -- */

static void kept_path(char *path, int file, const char *more) {
    snprintf(path, PATH, "%s/%s%s%s", disk.kept, disk.name, SUFFIXES[file], more);
}

static void copy(const char *from, const char *to) {
    char buffer[1 << 16];
    int in = (int)syscall(SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC);
    int out = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t got;
    if (out < 0) abort();
    /* A file that was never synced has no content. */
    while (in >= 0 && (got = syscall(SYS_read, in, buffer, sizeof buffer)) > 0)
        if (syscall(SYS_write, out, buffer, got) != got) abort();
    if (in >= 0) syscall(SYS_close, in);
    syscall(SYS_close, out);
}

static void forget_changes(int file) {
    struct change *change = disk.changes[file];
    while (change) {
        struct change *next = change->next;
        free(change);
        change = next;
    }
    disk.changes[file] = NULL;
    disk.last[file] = &disk.changes[file];
}

static void note_change(int file, off_t offset, const void *bytes, ssize_t length) {
    if (!disk.kept) return;
    struct change *change = malloc(sizeof *change + (length > 0 ? (size_t)length : 0));
    if (!change) abort();
    *change = (struct change){.offset = offset, .length = length};
    if (length > 0) memcpy(change->bytes, bytes, (size_t)length);
    *disk.last[file] = change;
    disk.last[file] = &change->next;
}

/* `NAME.synced` is the content of the file that is there now, `NAME` what a start after a power loss finds. */
static void file_synced(int file) {
    char synced[PATH], kept[PATH];
    if (!disk.kept) return;
    kept_path(synced, file, ".synced");
    kept_path(kept, file, "");
    copy(disk.path[file], synced);
    if (disk.has_entry[file]) copy(synced, kept);
    forget_changes(file);
}

static void folder_synced(void) {
    char synced[PATH], kept[PATH];
    for (int file = 0; disk.kept && file < FILES; file++) {
        if (!disk.path[file][0]) continue;
        kept_path(synced, file, ".synced");
        kept_path(kept, file, "");
        disk.has_entry[file] = !syscall(SYS_faccessat, AT_FDCWD, disk.path[file], F_OK);
        if (disk.has_entry[file]) copy(synced, kept);
        else syscall(SYS_unlinkat, AT_FDCWD, kept, 0);
    }
}

/* Another file, or none, has the name from now on. */
static void file_gone(int file) {
    char synced[PATH];
    if (!disk.kept) return;
    kept_path(synced, file, ".synced");
    syscall(SYS_unlinkat, AT_FDCWD, synced, 0);
    disk.has_entry[file] = 0;
    forget_changes(file);
}

static int chance(void) {
    disk.seed ^= disk.seed << 13;
    disk.seed ^= disk.seed >> 7;
    disk.seed ^= disk.seed << 17;
    return (disk.seed >> 32) & 1;
}

/* Some sectors reached the disk although nobody waited for them. */
static void keep_some(int file) {
    char kept[PATH], synced[PATH];
    kept_path(kept, file, "");
    kept_path(synced, file, ".synced");
    if (!disk.has_entry[file]) {
        if (!disk.changes[file] || !chance()) return;
        copy(synced, kept);
    }
    int fd = (int)syscall(SYS_openat, AT_FDCWD, kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) abort();
    for (struct change *change = disk.changes[file]; change; change = change->next) {
        if (change->length < 0) {
            if (chance() && syscall(SYS_ftruncate, fd, change->offset)) abort();
            continue;
        }
        for (ssize_t from = 0; from < change->length; from += SECTOR) {
            ssize_t rest = change->length - from, length = rest < SECTOR ? rest : SECTOR;
            if (chance() && syscall(SYS_pwrite64, fd, change->bytes + from, length, change->offset + from) != length) abort();
        }
    }
    syscall(SYS_close, fd);
}

static void power_loss(void) {
    for (int file = 0; disk.kept && disk.seed && file < FILES; file++)
        if (disk.path[file][0]) keep_some(file);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* -- Calls -- */

/* Counts a call; what becomes of it. */
static enum fault counted(const char *kind, int file) {
    char line[PATH];
    enum fault fault = NONE;
    disk.count++;
    if (disk.at && disk.count == disk.at) fault = disk.fault;
    int length = snprintf(line, sizeof line, "%ld %s %s%s\n", disk.count, kind,
                          file ? SUFFIXES[file - 1][0] ? SUFFIXES[file - 1] : "db" : "folder", fault ? " fault" : "");
    if (disk.log >= 0 && syscall(SYS_write, disk.log, line, length) != length) abort();
    if (fault == POWER) power_loss();
    if (fault == FULL) disk.is_full = 1;
    return fault;
}

/* The error of a call that is no write; 0 if it goes well. */
static int failed(const char *kind, int file, int takes_space) {
    switch (counted(kind, file)) {
    case EIO_ONCE: return errno = EIO;
    case EINTR_ONCE: return errno = EINTR;
    default: break;
    }
    return disk.is_full && takes_space ? (errno = ENOSPC) : 0;
}

static int opened(const char *path, int flags, mode_t mode, int file) {
    int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
    if (!is_new && disk.kept && !disk.path[file - 1][0] && realpath(path, disk.path[file - 1])) {
        /* What was there before this process is on the disk. */
        disk.has_entry[file - 1] = 1;
        file_synced(file - 1);
    }
    if (failed("open", file, is_new)) return -1;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
    if (fd >= 0 && fd < FDS) {
        disk.file_of[fd] = (unsigned char)file;
        if (!realpath(path, disk.path[file - 1])) abort();
        if (is_new) file_gone(file - 1);
    }
    return fd;
}

#define OPEN(name)                                                              \
    int name(const char *path, int flags, ...) {                                \
        mode_t mode = 0;                                                        \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                  \
            va_list more;                                                       \
            va_start(more, flags);                                              \
            mode = va_arg(more, mode_t);                                        \
            va_end(more);                                                       \
        }                                                                       \
        int file = file_of_path(path);                                          \
        if (!file) return REAL(name)(path, flags, mode);                        \
        pthread_mutex_lock(&lock);                                              \
        int fd = opened(path, flags, mode, file);                               \
        pthread_mutex_unlock(&lock);                                            \
        return fd;                                                              \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    if (file_of(fd)) {
        pthread_mutex_lock(&lock);
        disk.file_of[fd] = 0;
        pthread_mutex_unlock(&lock);
    }
    return REAL(close)(fd);
}

/* Writes at an offset. */
static ssize_t written(int fd, const void *bytes, size_t length, off_t offset) {
    int file = file_of(fd);
    ssize_t result = -1;
    switch (counted("write", file)) {
    case EIO_ONCE: errno = EIO; return -1;
    case EINTR_ONCE: errno = EINTR; return -1;
    case FULL:
    case SHORT: length = (length + 1) / 2; break;
    default:
        if (disk.is_full) return errno = ENOSPC, -1;
    }
    result = syscall(SYS_pwrite64, fd, bytes, length, offset);
    if (result > 0) note_change(file - 1, offset, bytes, result);
    return result;
}

#define PWRITE(name, offset_type)                                               \
    ssize_t name(int fd, const void *bytes, size_t length, offset_type offset) { \
        if (!file_of(fd)) return REAL(name)(fd, bytes, length, offset);         \
        pthread_mutex_lock(&lock);                                              \
        ssize_t result = written(fd, bytes, length, offset);                    \
        pthread_mutex_unlock(&lock);                                            \
        return result;                                                          \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *bytes, size_t length) {
    if (!file_of(fd)) return REAL(write)(fd, bytes, length);
    pthread_mutex_lock(&lock);
    off_t offset = lseek(fd, 0, SEEK_CUR);
    ssize_t result = written(fd, bytes, length, offset);
    if (result > 0) lseek(fd, offset + result, SEEK_SET);
    pthread_mutex_unlock(&lock);
    return result;
}

static int synced(int fd) {
    int file = file_of(fd);
    if (failed("sync", file, 0)) return -1;
    int result = (int)syscall(SYS_fsync, fd);
    if (result) return result;
    if (file) file_synced(file - 1);
    else folder_synced();
    return 0;
}

static int is_folder(int fd) {
    struct stat status;
    return disk.name && !fstat(fd, &status) && S_ISDIR(status.st_mode);
}

#define SYNC(name)                                                              \
    int name(int fd) {                                                          \
        if (!file_of(fd) && !is_folder(fd)) return REAL(name)(fd);              \
        pthread_mutex_lock(&lock);                                              \
        int result = synced(fd);                                                \
        pthread_mutex_unlock(&lock);                                            \
        return result;                                                          \
    }
SYNC(fsync)
SYNC(fdatasync)

static int truncated(int fd, off_t length) {
    int file = file_of(fd);
    if (failed("truncate", file, 0)) return -1;
    int result = (int)syscall(SYS_ftruncate, fd, length);
    if (!result) note_change(file - 1, length, NULL, -1);
    return result;
}

#define TRUNCATE(name, offset_type)                                             \
    int name(int fd, offset_type length) {                                      \
        if (!file_of(fd)) return REAL(name)(fd, length);                        \
        pthread_mutex_lock(&lock);                                              \
        int result = truncated(fd, length);                                     \
        pthread_mutex_unlock(&lock);                                            \
        return result;                                                          \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int unlink(const char *path) {
    int file = file_of_path(path);
    if (!file) return REAL(unlink)(path);
    pthread_mutex_lock(&lock);
    int result = failed("unlink", file, 0) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!result) file_gone(file - 1);
    pthread_mutex_unlock(&lock);
    return result;
}

int rename(const char *from, const char *to) {
    int file = file_of_path(from), other = file_of_path(to);
    if (!file && !other) return REAL(rename)(from, to);
    pthread_mutex_lock(&lock);
    int result = failed("rename", file ? file : other, 0) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    if (!result && file) file_gone(file - 1);
    if (!result && other) file_gone(other - 1);
    pthread_mutex_unlock(&lock);
    return result;
}

/* A file system may have none; SQLite writes instead. */
static int allocated(int fd) {
    int file = file_of(fd);
    return failed("allocate", file, 1) ? errno : EOPNOTSUPP;
}

#define ALLOCATE(name, offset_type)                                             \
    int name(int fd, offset_type from, offset_type length) {                    \
        if (!file_of(fd)) return REAL(name)(fd, from, length);                  \
        pthread_mutex_lock(&lock);                                              \
        int result = allocated(fd);                                             \
        pthread_mutex_unlock(&lock);                                            \
        return result;                                                          \
    }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)
