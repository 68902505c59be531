#!/bin/bash
# permitted.sh: what this machine does not let a node do, one line each; says nothing where all of it is allowed.
inside() { unshare --mount --net --uts --ipc --pid --cgroup --fork --propagation private sh -ec "$1" >/dev/null 2>&1; }
if ! inside true; then
  echo "new mount, network, pid, uts, ipc and cgroup namespaces (CAP_SYS_ADMIN; in a container --privileged)"
  exit
fi
inside 'mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run; mount --make-rshared /' ||
  echo "mounts of proc, sysfs and tmpfs in a mount namespace (CAP_SYS_ADMIN, no seccomp or AppArmor profile against mount)"
inside 'ip link set lo up; ip link add t0 type bridge; ip address add 10.99.0.2/24 dev t0; ip link set t0 up; ip link add t1 type veth peer name t2' ||
  echo "bridge and veth interfaces in a network namespace (CAP_NET_ADMIN, kernel modules bridge and veth)"
while IFS=: read -r _ controllers path; do
  [ -n "$controllers" ] || continue
  group=/sys/fs/cgroup/${controllers#name=}$path/outrider-look-$$
  if ! mkdir -p "$group" 2>/dev/null; then
    echo "cgroups of its own below ${group%/*} (a writable /sys/fs/cgroup)"
    break
  fi
  rmdir "$group"
done </proc/self/cgroup
inside 'mount -t tmpfs cgroup /sys/fs/cgroup; mkdir /sys/fs/cgroup/memory; mount -t cgroup -o memory cgroup /sys/fs/cgroup/memory' ||
  echo "the memory controller of cgroup v1 (boot with systemd.unified_cgroup_hierarchy=0, or use kind)"
