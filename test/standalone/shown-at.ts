/** A user who exists for one process tree only. */
export interface ShownUser {
  uid: number;
  /** File that is /etc/passwd there. */
  passwd: string;
}

const SHOW = `
set -e
for name in cmd pkg crds docs package.json node_modules; do
  if [ -d "$1/$name" ]; then mkdir -p "$2/$name"; else touch "$2/$name"; fi
  mount --bind "$(readlink -f "$1/$name")" "$2/$name"
done
program="$2/node_modules/node/bin/node $2/cmd/standalone/main.ts"
if [ -z "$3" ]; then exec $program; fi
mount --bind "$4" /etc/passwd
exec setpriv --reuid="$3" --regid="$3" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs $program`;

const CHECKOUT = new URL('../../', import.meta.url).pathname;

/** A program that shows checkout, node_modules and Node.js at another place and starts the product there; needs root. */
export function shownAt(place: string, user?: ShownUser): string[] {
  const as = user ? [String(user.uid), user.passwd] : ['', ''];
  return ['unshare', '--mount', 'sh', '-c', SHOW, 'sh', CHECKOUT, place, ...as];
}
