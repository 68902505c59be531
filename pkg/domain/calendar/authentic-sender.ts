import { sameRegistrable } from '../registrable-domain.ts';

/** Mail hosts whose servers call themselves by another domain in what they found out about a mail. */
const CALLED: readonly (readonly [host: string, name: string])[] = [
  ['gmail.com', 'google.com'],
  ['googlemail.com', 'google.com'],
  ['office365.com', 'protection.outlook.com'],
  ['outlook.com', 'protection.outlook.com'],
];

/**
 * Whether the receiving server found out that a mail comes from the domain of its sender: an aligned DKIM signature, or an aligned
 * envelope that SPF lets pass. Only the topmost result counts, and only under the name of the mailbox's own servers, which take out
 * what senders wrote under it (RFC 8601 section 5).
 * @param results the Authentication-Results of the mail, topmost first
 * @param hosts of the mailbox: its inbox server, the domain of its address
 */
export function isAuthentic(results: readonly string[], from: string, hosts: readonly string[]): boolean {
  const [first = ''] = results;
  const [server = '', ...findings] = withoutComments(first).split(';');
  const name = server.trim().split(/\s+/)[0]?.toLowerCase() ?? '';
  if (name === '' || !hosts.some((host) => isCalled(host.toLowerCase(), name))) return false;
  const domain = domainOf(from);
  return domain !== '' && findings.some((finding) => isAligned(finding, domain));
}

/** Comments may hold others' words. */
function withoutComments(text: string): string {
  let plain = text;
  for (let depth = 0; depth < 5 && /\([^()]*\)/.test(plain); depth++) plain = plain.replace(/\([^()]*\)/g, ' ');
  return plain;
}

function isCalled(host: string, name: string): boolean {
  if (sameRegistrable(host, name)) return true;
  return CALLED.some(
    ([known, called]) => sameRegistrable(host, known) && (name === called || name.endsWith(`.${called}`)),
  );
}

function isAligned(finding: string, domain: string): boolean {
  const text = finding.toLowerCase();
  if (/^\s*dkim\s*=\s*pass\b/.test(text)) {
    const signed = /\bheader\.[di]\s*=\s*"?(?:[^\s"@;]*@)?([a-z0-9.-]+)/.exec(text)?.[1];
    return signed !== undefined && sameRegistrable(signed, domain);
  }
  if (/^\s*spf\s*=\s*pass\b/.test(text)) {
    const sent = /\bsmtp\.mailfrom\s*=\s*"?(?:[^\s"@;]*@)?([a-z0-9.-]+)/.exec(text)?.[1];
    return sent !== undefined && sameRegistrable(sent, domain);
  }
  return false;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
