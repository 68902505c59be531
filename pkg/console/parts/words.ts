/** What a lead waits for, as people say it. */
const WAITS: Readonly<Record<string, string>> = {
  duration: 'waiting its time',
  until_time: 'waiting for a date',
  business_hours: 'outside business hours',
  budget: 'budget used up',
  pacing: 'next free slot',
  account_unhealthy: 'account needs care',
  review: 'in review',
  credits: 'no credits',
  claim_held_elsewhere: 'contacted elsewhere',
  enrichment: 'being enriched',
  send_freeze: 'stopped',
  unknown_outcome: 'outcome unknown',
};

/** What a lead waits for; a reason of a newer server by its own name. */
export function waitWords(reason: string): string {
  return WAITS[reason] ?? plainWords(reason);
}

/** A name of the server as words: `connection_request` gives `connection request`. */
export function plainWords(name: string): string {
  return name.replaceAll('_', ' ').replaceAll(':', ': ');
}

/** The same with a capital at its beginning. */
export function titleWords(name: string): string {
  const words = plainWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A number as the viewer writes it. */
export function count(value: number): string {
  return value.toLocaleString();
}

/** A number and its noun. @param many absent: an s more */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A share in percent. */
export function percent(share: number): string {
  return `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;
}
