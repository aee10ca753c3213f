// The level `namespaces`: a process in its own user (unless root starts it), mount, pid, net, ipc and uts namespaces,
// with a root folder that contains only the mounts of the plan.
#pragma once

#include "base.hpp"

#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

namespace guard::namespaces {

// struct mount_attr and the syscall numbers of mount_setattr(2), which older headers lack.
struct MountAttr {
  uint64_t set, clear, propagation, userns;
};
inline constexpr uint64_t kReadOnly = 1, kNoSuid = 2, kNoDev = 4;
inline constexpr int kMountSetattr = 442;

inline void set_flags(const std::string& path, uint64_t flags, bool recursive) {
  MountAttr attr{flags, 0, 0, 0};
  int where = 0x1000 /* AT_EMPTY_PATH */ | (recursive ? 0x8000 /* AT_RECURSIVE */ : 0);
  int fd = must(open(path.c_str(), O_PATH | O_CLOEXEC), "opening " + path);
  must(int(syscall(kMountSetattr, fd, "", where, &attr, sizeof attr)), "setting the mount flags of " + path);
  close(fd);
}

inline void make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0755);
  if (mkdir(path.c_str(), 0755) < 0 && errno != EEXIST) fail("making the folder " + path);
}

inline void make_parents(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash != path.npos && slash > 0) make_folders(path.substr(0, slash));
}

// Binds a folder or a file of the host; `flags` are added to everything below it.
inline void bind(const std::string& source, const std::string& target, uint64_t flags) {
  struct stat info;
  must(stat(source.c_str(), &info), "looking at " + source);
  if (S_ISDIR(info.st_mode)) {
    make_folders(target);
  } else {
    make_parents(target);
    // An existing file is in a read-only mount: binding over it does not need permission to open it.
    if (lstat(target.c_str(), &info) < 0) {
      int fd = must(open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644), "making " + target);
      close(fd);
    }
  }
  must(mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr), "binding " + source);
  if (flags) set_flags(target, flags, true);
}

inline void make_devices(const std::string& root, bool metered) {
  for (std::string name : {"null", "zero", "full", "random", "urandom"})
    // A shared mapping of /dev/zero is memory that belongs to no process.
    if (metered || name != "zero") bind(std::string("/dev/") + name, root + "/dev/" + name, kNoSuid);
  const std::pair<const char*, const char*> links[] = {
      {"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"}};
  for (auto [target, name] : links) must(symlink(target, (root + "/dev/" + name).c_str()), "making /dev links");
}

// Mounts one small tmpfs for /tmp and /dev/shm together, so that its size limits both.
inline void make_scratch(const std::string& root, const Plan& plan) {
  std::string scratch = root + "/scratch";
  make_folders(scratch);
  std::string options = "mode=0755,size=" + plan.text("scratch") + ",nr_inodes=" + plan.text("scratch_files");
  must(mount("tmpfs", scratch.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()), "mounting the private /tmp");
  for (const char* name : {"/tmp", "/shm"}) {
    std::string folder = scratch + name;
    must(mkdir(folder.c_str(), 0), "making the private /tmp");
    must(chmod(folder.c_str(), 01777), "making the private /tmp");
    std::string target = root + (name == std::string("/tmp") ? "/tmp" : "/dev/shm");
    make_folders(target);
    must(mount(folder.c_str(), target.c_str(), nullptr, MS_BIND, nullptr), "binding the private " + target);
  }
  must(umount2(scratch.c_str(), MNT_DETACH), "hiding the scratch folder");
  rmdir(scratch.c_str());
}

// Runs as process 1 of the new pid namespace.
inline void enter_root(const Plan& plan) {
  std::string root = plan.text("root");
  must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "making mounts private");
  must(mount("tmpfs", root.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m"), "mounting the root folder");
  make_folders(root + "/dev");
  make_scratch(root, plan);
  make_devices(root, !plan.has("unmetered"));
  for (const std::string& value : plan.list("symlink")) {
    auto part = fields(value);
    make_parents(root + part.at(1));
    must(symlink(part[0].c_str(), (root + part[1]).c_str()), "linking " + part[1]);
  }
  for (const std::string& value : plan.list("mount")) {
    auto part = fields(value);  // ro or rw, source, target
    bind(part.at(1), root + part.at(2), kNoSuid | kNoDev | (part[0] == "ro" ? kReadOnly : 0));
  }
  make_folders(root + "/proc");
  must(mount("proc", (root + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mounting /proc");
  must(chdir(root.c_str()), "entering the root folder");
  must(int(syscall(SYS_pivot_root, ".", ".")), "changing the root folder");
  must(umount2(".", MNT_DETACH), "leaving the old root folder");
  must(chdir("/"), "entering the root folder");
  set_flags("/", kReadOnly, false);
}

inline void raise_loopback() {
  int fd = must(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "opening a socket");
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  must(ioctl(fd, SIOCSIFFLAGS, &request), "raising the loopback interface");
  close(fd);
}

// No process is charged for the kernel's connection buffers, so keep them small; that is enough for a loopback. Best
// effort: inside a container these settings are read-only.
inline void small_buffers() {
  write_file("/proc/sys/net/ipv4/tcp_rmem", "4096 65536 262144");
  write_file("/proc/sys/net/ipv4/tcp_wmem", "4096 65536 262144");
}

// Like fork(): returns 0 in the child, which is process 1 of the box.
inline pid_t split(bool own_user) {
  unsigned long flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | SIGCHLD;
  if (own_user) flags |= CLONE_NEWUSER;
  return pid_t(must(int(syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr)), "making namespaces"));
}

// Maps the caller's uid and gid to themselves; all other ids are unmapped.
inline void map_user(pid_t child) {
  std::string proc = "/proc/" + std::to_string(child);
  std::string uid = std::to_string(geteuid()), gid = std::to_string(getegid());
  if (!write_file(proc + "/setgroups", "deny")) fail("refusing setgroups");
  if (!write_file(proc + "/uid_map", uid + " " + uid + " 1")) fail("mapping the user");
  if (!write_file(proc + "/gid_map", gid + " " + gid + " 1")) fail("mapping the group");
}

}  // namespace guard::namespaces
