// The system call filter of a boxed program. Refused calls fail with EPERM, so that a program can continue without them;
// calls that are not in the list fail with ENOSYS.
#pragma once

#include "base.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

namespace guard {

#if defined(__x86_64__)
inline constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
#error "the system call filter knows x86-64 and arm64"
#endif

// Numbers from 424 on are the same on every architecture; older headers lack the newest names.
inline constexpr int kFchmodat2 = 452, kNewestKnown = 456, kMseal = 462;

class Filter {
 public:
  // `shares_host`: no namespaces around the program, so sockets, shared memory and changes of the modes and times of
  // files are refused as well: Landlock does not cover them, and the user may own what is read-only to the program.
  // `unmetered`: no control group counts its memory, so memory that belongs to no process is refused.
  Filter(bool shares_host, bool unmetered) {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);  // the list does not apply to calls of another architecture
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);  // the x32 numbers
    give(refusal(ENOSYS));
#endif
    add(BPF_JMP | BPF_JEQ | BPF_K, kMseal, 0, 1);
    give(SECCOMP_RET_ALLOW);
    add(BPF_JMP | BPF_JGT | BPF_K, kNewestKnown, 0, 1);
    give(refusal(ENOSYS));
    refuse(435 /* clone3: its flags are in memory; libraries fall back on clone */, ENOSYS);
    for (int call : kKernel) refuse(call, EPERM);
    for (int call : kNewer) refuse(call, ENOSYS);
    without_flags(__NR_clone, 0,
                  CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP);
    only(__NR_personality, 0, {0, 0xffffffff}, EPERM);
    only(__NR_prlimit64, 0, {0}, EPERM);  // only its own limits: process 1 of the box has the same user
    refuse(__NR_fallocate, EOPNOTSUPP);   // can exceed the file size limit; libraries fall back to writing
    not_value(__NR_ioctl, 1, {TIOCSTI, TIOCSETD, 0x541C /* TIOCLINUX */});
    if (unmetered) {
      for (int call : {__NR_memfd_create, __NR_shmget, __NR_msgget, __NR_vmsplice}) refuse(call, ENOSYS);
      with_all_flags(__NR_mmap, 3, 0x21 /* MAP_SHARED | MAP_ANONYMOUS */);
    }
    only_pairs_of_unix_sockets(shares_host);
    if (!shares_host) {
      usual_sockets();
    } else {
      for (int call : kShared) refuse(call, EPERM);
      refuse(kFchmodat2, EPERM);
      only(__NR_sched_setaffinity, 0, {0}, EPERM);
      only(__NR_sendto, 4, {0}, EPERM);  // only to the connected peer
    }
    give(SECCOMP_RET_ALLOW);
  }

  void install() const {
    sock_fprog program{uint16_t(code_.size()), const_cast<sock_filter*>(code_.data())};
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "installing the system call filter");
  }

 private:
  // Machine administration, memory of other processes, keys, and kernel features with a history of vulnerabilities.
  inline static const std::vector<int> kKernel = {
      __NR_ptrace,
      __NR_process_vm_readv,
      __NR_process_vm_writev,
      __NR_kcmp,
      __NR_unshare,
      __NR_setns,
      __NR_mount,
      __NR_umount2,
      __NR_pivot_root,
      __NR_chroot,
      __NR_swapon,
      __NR_swapoff,
      __NR_reboot,
      __NR_kexec_load,
      __NR_init_module,
      __NR_finit_module,
      __NR_delete_module,
      __NR_acct,
      __NR_quotactl,
      __NR_syslog,
      __NR_vhangup,
      __NR_settimeofday,
      __NR_clock_settime,
      __NR_clock_adjtime,
      __NR_adjtimex,
      __NR_sethostname,
      __NR_setdomainname,
      __NR_add_key,
      __NR_request_key,
      __NR_keyctl,
      __NR_bpf,
      __NR_perf_event_open,
      __NR_userfaultfd,
      __NR_open_by_handle_at,
      __NR_name_to_handle_at,
      __NR_fanotify_init,
      __NR_lookup_dcookie,
      __NR_nfsservctl,
      __NR_migrate_pages,
      __NR_move_pages,
#if defined(__x86_64__)
      __NR_iopl,
      __NR_ioperm,
      __NR_modify_ldt,
      __NR_kexec_file_load,
      __NR_create_module,
      __NR_get_kernel_syms,
      __NR_query_module,
      __NR__sysctl,
      __NR_uselib,
      __NR_ustat,
      __NR_sysfs,
#endif
  };
  // From 424 on: io_uring, the new mount calls, pidfd_getfd, process_madvise, memfd_secret, quotactl_fd.
  // 424 pidfd_send_signal, 434 pidfd_open, 436 close_range, 437 openat2, 439 faccessat2, 441 epoll_pwait2,
  // 444-446 Landlock, 448 process_mrelease, 449-450, 451 cachestat, 453-456 stay.
  inline static const std::vector<int> kNewer = {425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 447};
  // Resources that a program without its own namespaces would share with the whole machine.
  inline static const std::vector<int> kShared = {
      __NR_socket,
      __NR_connect,
      __NR_bind,
      __NR_listen,
      __NR_shmget,
      __NR_shmat,
      __NR_shmctl,
      __NR_msgget,
      __NR_msgsnd,
      __NR_msgrcv,
      __NR_msgctl,
      __NR_semget,
      __NR_semop,
      __NR_semctl,
      __NR_semtimedop,
      __NR_mq_open,
      __NR_mq_unlink,
      __NR_fchmod,
      __NR_fchmodat,
      __NR_fchown,
      __NR_fchownat,
      __NR_utimensat,
      __NR_setxattr,
      __NR_lsetxattr,
      __NR_fsetxattr,
      __NR_removexattr,
      __NR_lremovexattr,
      __NR_fremovexattr,
      __NR_setpriority,
      __NR_ioprio_set,
      __NR_sched_setscheduler,
      __NR_sched_setattr,
      __NR_sched_setparam,
      __NR_inotify_add_watch,
#if defined(__x86_64__)
      __NR_chmod,
      __NR_chown,
      __NR_lchown,
      __NR_utime,
      __NR_utimes,
      __NR_futimesat,
#endif
  };

  static uint32_t refusal(int error) { return SECCOMP_RET_ERRNO | uint32_t(error); }
  void add(uint16_t code, uint32_t k, uint8_t yes = 0, uint8_t no = 0) { code_.push_back({code, yes, no, k}); }
  void give(uint32_t action) { add(BPF_RET | BPF_K, action); }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }
  static uint32_t low_half(int argument) { return uint32_t(offsetof(seccomp_data, args) + 8 * size_t(argument)); }

  void refuse(int call, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 1);
    give(refusal(error));
  }
  void without_flags(int call, int argument, uint32_t flags) {
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 4);
    load(low_half(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1);
    give(refusal(EPERM));
    give(SECCOMP_RET_ALLOW);
  }
  // Only Unix, IPv4 and IPv6 with their common protocols; others would load kernel modules.
  void usual_sockets() {
    const std::vector<uint32_t> families{AF_UNIX, AF_INET, AF_INET6}, protocols{0, 1 /* ICMP */, 6, 17, 58 /* ICMPv6 */};
    size_t second = 2 + protocols.size() * 2;
    add(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, uint8_t(1 + families.size() + 1 + second));
    load(low_half(0));
    for (size_t index = 0; index < families.size(); ++index)
      add(BPF_JMP | BPF_JEQ | BPF_K, families[index], uint8_t(families.size() - index), 0);
    give(refusal(EAFNOSUPPORT));
    load(low_half(2));
    for (uint32_t protocol : protocols) {
      add(BPF_JMP | BPF_JEQ | BPF_K, protocol, 0, 1);
      give(SECCOMP_RET_ALLOW);
    }
    give(refusal(EPROTONOSUPPORT));
  }
  // A datagram socket from socketpair could still send to sockets of the machine, which the program shares.
  void only_pairs_of_unix_sockets(bool connected) {
    size_t rest = connected ? 6 : 1;
    add(BPF_JMP | BPF_JEQ | BPF_K, __NR_socketpair, 0, uint8_t(3 + rest));
    load(low_half(0));
    add(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
    give(refusal(EAFNOSUPPORT));
    if (connected) {
      load(low_half(1));
      add(BPF_ALU | BPF_AND | BPF_K, 0xf);
      add(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
      add(BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0);
      give(refusal(EPERM));
    }
    give(SECCOMP_RET_ALLOW);
  }
  void with_all_flags(int call, int argument, uint32_t flags) {
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 5);
    load(low_half(argument));
    add(BPF_ALU | BPF_AND | BPF_K, flags);
    add(BPF_JMP | BPF_JEQ | BPF_K, flags, 0, 1);
    give(refusal(ENOMEM));
    give(SECCOMP_RET_ALLOW);
  }
  // A pointer is 0 only if both halves are; all other compared values fit into 32 bits.
  void only(int call, int argument, const std::vector<uint32_t>& values, int error) {
    bool pointer = values.size() == 1 && values[0] == 0;
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, uint8_t(values.size() * 2 + 2 + (pointer ? 3 : 0)));
    if (pointer) {
      load(low_half(argument) + 4);
      add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
      give(refusal(error));
    }
    load(low_half(argument));
    for (uint32_t value : values) {
      add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
      give(SECCOMP_RET_ALLOW);
    }
    give(refusal(error));
  }
  void not_value(int call, int argument, const std::vector<uint32_t>& values) {
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, uint8_t(values.size() * 2 + 2));
    load(low_half(argument));
    for (uint32_t value : values) {
      add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
      give(refusal(EPERM));
    }
    give(SECCOMP_RET_ALLOW);
  }

  std::vector<sock_filter> code_;
};

}  // namespace guard
