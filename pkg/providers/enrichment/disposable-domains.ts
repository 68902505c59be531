import domains from 'disposable-email-domains' with { type: 'json' };
import wildcards from 'disposable-email-domains/wildcard.json' with { type: 'json' };

const exact: ReadonlySet<string> = new Set(domains);
/** With all that stands before them. */
const wild: ReadonlySet<string> = new Set(wildcards);

/** Whether anybody gets a mailbox there that is thrown away. The list is large: this file is imported when the first address is checked. */
export function isThrowAway(domain: string): boolean {
  if (exact.has(domain)) return true;
  const parts = domain.split('.');
  return parts.some((_, index) => wild.has(parts.slice(index).join('.')));
}
