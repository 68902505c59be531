# Sourced by the other scripts: where things are. Set these before calling to change them.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CLUSTER_CACHE=${CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/outrider-cluster}   # binaries, kept
CLUSTER_STATE=${CLUSTER_STATE:-$CLUSTER_CACHE/state}                               # one cluster, made new by each up.sh
CLUSTER_PORT=${CLUSTER_PORT:-6443}                                                 # API server, on loopback
export CLUSTER_CACHE CLUSTER_STATE CLUSTER_PORT KUBECONFIG=$CLUSTER_STATE/kubeconfig PATH=$CLUSTER_CACHE/bin:$PATH:/usr/local/go/bin

pid_of() { local pid; pid=$(cat "$CLUSTER_STATE/$1.pid" 2>/dev/null) && grep -qs "$1" "/proc/$pid/cmdline" && echo "$pid"; }
first_process() { local pid; pid=$(pid_of unshare) && pgrep -P "$pid"; }           # pid 1 of the node, seen from here
