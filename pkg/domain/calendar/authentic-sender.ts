import { sameRegistrable } from '../registrable-domain.ts';
import { type Finding, readResults } from './result-findings.ts';

/**
 * Mail hosts whose servers call themselves by another domain in what they found out about a mail. They write it into each mail, below
 * the line that says that they received it.
 */
const CALLED: readonly (readonly [host: string, name: string])[] = [
  ['gmail.com', 'google.com'],
  ['googlemail.com', 'google.com'],
  ['office365.com', 'protection.outlook.com'],
  ['outlook.com', 'protection.outlook.com'],
];

/** A header that servers write on the way of a mail. */
export interface TraceHeader {
  name: 'received' | 'authentication-results';
  value: string;
}

/**
 * Whether the receiving server found out that a mail comes from the domain of its sender: an aligned DKIM signature, or an aligned
 * envelope that SPF lets pass. Only the topmost result counts, and only under the name of the mailbox's own servers, which take out
 * what senders wrote under it (RFC 8601 section 5). A server that writes none leaves the sender's own topmost: what stands below the
 * line of its receipt came with the mail.
 * @param trace of the mail, topmost first
 * @param hosts of the mailbox: its inbox server, the domain of its address
 */
export function isAuthentic(trace: readonly TraceHeader[], from: string, hosts: readonly string[]): boolean {
  const at = trace.findIndex(({ name }) => name === 'authentication-results');
  const read = readResults(trace[at]?.value ?? '');
  const domain = domainOf(from);
  if (!read || read.server === '' || domain === '') return false;
  const { server, findings } = read;
  const always = hosts.some((host) => writesAlways(host.toLowerCase(), server));
  const own = always || hosts.some((host) => sameRegistrable(host.toLowerCase(), server));
  if (!own || !(always || isAboveReceipt(trace, at))) return false;
  return findings.some((finding) => isAligned(finding, domain));
}

function writesAlways(host: string, server: string): boolean {
  return CALLED.some(
    ([known, called]) => sameRegistrable(host, known) && (server === called || server.endsWith(`.${called}`)),
  );
}

/** Whether a header stands above the first line of a receipt, and there is one; servers hand mails to mailboxes by LMTP. */
function isAboveReceipt(trace: readonly TraceHeader[], at: number): boolean {
  const receipt = trace.findIndex(({ name, value }) => name === 'received' && !isHandedOver(value));
  return receipt > at;
}

/** Who sends a mail chooses the words before: the last `with` is the server's. */
function isHandedOver(received: string): boolean {
  const words = [...received.replace(/;[^;]*$/, '').matchAll(/\swith\s+([a-z]+)/gi)];
  return /^lmtp/i.test(words.at(-1)?.[1] ?? '');
}

const SIGNATURE = ['header.d', 'header.i'] as const;

function isAligned({ method, result, properties }: Finding, domain: string): boolean {
  if (result !== 'pass') return false;
  const foreign = method === 'dkim' ? 'smtp.' : 'header.';
  // Where a server copies the words of a sender as they are, its findings run into each other.
  if ([...properties.keys()].some((name) => name.startsWith(foreign))) return false;
  const names = method === 'dkim' ? SIGNATURE : method === 'spf' ? (['smtp.mailfrom'] as const) : [];
  const found = names.flatMap((name) => properties.get(name) ?? []);
  return found.length > 0 && found.every((value) => isOf(value, domain));
}

function isOf(value: string, domain: string): boolean {
  const named = domainOf(value);
  return /^[a-z0-9.-]+$/.test(named) && sameRegistrable(named, domain);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
