/** A kind of event as words: `reply.received` gives `Reply received`. */
export function kindWords(kind: string): string {
  const words = kind.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What kinds of a family are about, in the order in which they are shown. */
const FAMILIES: readonly (readonly [title: string, ...families: string[]])[] = [
  ['Replies and messages', 'reply', 'unsubscribe', 'message', 'connection', 'mail', 'meeting'],
  ['Review', 'review'],
  ['Leads and campaigns', 'lead', 'run', 'split', 'import', 'report'],
  ['Signals and watches', 'signal', 'watch'],
  ['Content', 'content'],
  ['Accounts and sending', 'account', 'send', 'dead_letter', 'warmup'],
  ['Workspace', 'credits', 'key', 'member', 'integration', 'automation'],
];

/** Kinds under the titles of what they are about; a family of a newer server stands at the end. */
export function groupedKinds(kinds: readonly string[]): { title: string; kinds: string[] }[] {
  const familyOf = (kind: string): string => kind.split('.')[0] ?? '';
  const groups = FAMILIES.map(([title, ...families]) => ({
    title,
    kinds: kinds.filter((kind) => families.includes(familyOf(kind))),
  }));
  const known = new Set(groups.flatMap((group) => group.kinds));
  const rest = { title: 'Others', kinds: kinds.filter((kind) => !known.has(kind)) };
  return [...groups, rest].filter((group) => group.kinds.length > 0);
}
