/** What was decided in a page and not sent yet, kept beside it: a page that is closed sends nothing, and the next one says so. */
export interface Unsent {
  id: string;
  verb: string;
  labels: readonly string[];
  path: string;
  /** Whether it was under way: then nobody here knows what became of it. */
  wasSending: boolean;
  at: number;
}

const PREFIX = 'outrider.unsent.';
/** A page that is open renews its own more often. */
const GONE_MS = 20_000;
const RENEW_MS = 5_000;

const own = new Map<string, Unsent>();
let isRenewing = false;

function store(one: Unsent): void {
  try {
    localStorage.setItem(PREFIX + one.id, JSON.stringify(one));
  } catch {
    // No room, or not allowed: then nobody is told, and nothing is lost all the same.
  }
}

/** Notes what is not through yet. */
export function noteUnsent(one: Unsent): void {
  own.set(one.id, one);
  store(one);
  if (isRenewing) return;
  isRenewing = true;
  setInterval(() => {
    for (const known of own.values()) store({ ...known, at: Date.now() });
  }, RENEW_MS);
}

/** It is through, or was taken back. */
export function forgetUnsent(id: string): void {
  own.delete(id);
  localStorage.removeItem(PREFIX + id);
}

/** What pages left that were closed; each is told once. */
export function unsentOfClosedTabs(): { text: string; path: string }[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  return keys.flatMap((key) => {
    const one = parsed(localStorage.getItem(key));
    if (one && (own.has(one.id) || Date.now() - one.at < GONE_MS)) return [];
    localStorage.removeItem(key);
    return one ? [{ text: wordsOf(one), path: one.path }] : [];
  });
}

function parsed(text: string | null): Unsent | undefined {
  try {
    return JSON.parse(text ?? '') as Unsent;
  } catch {
    return undefined;
  }
}

function wordsOf({ verb, labels, wasSending }: Unsent): string {
  const [first = ''] = labels;
  const whom = labels.length === 1 ? first : `${labels.length} items`;
  if (wasSending) return `A page was closed while “${verb}: ${whom}” was being sent. Look at what became of it.`;
  return `“${verb}: ${whom}” was not sent, because its page was closed within 10 seconds. Nothing happened; it still waits.`;
}
