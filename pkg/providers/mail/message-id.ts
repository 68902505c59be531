const OURS = /<outrider\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})@[^<>\s]+>/gi;

/** The Message-ID of a send: the same after a crash, so that a look-up knows what to look for. */
export function messageIdOf(sendId: string, address: string): string {
  return `<outrider.${sendId}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}

/** Ids of our sends that a text names by their Message-IDs, each once. */
export function sendIdsIn(text: string): string[] {
  return [...new Set([...text.matchAll(OURS)].map((match) => (match[1] ?? '').toLowerCase()))];
}
