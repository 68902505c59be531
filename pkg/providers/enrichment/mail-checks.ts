import { Resolver } from 'node:dns/promises';
import type { DomainAnswer, MailChecks } from '../../domain/enrichment/mail-verdict.ts';

const TIMEOUT_MS = 3_000;
/** Domains whose answer is remembered; the oldest goes. */
const MOST_DOMAINS = 10_000;
/** What a name server says when there is no such thing; everything else is no answer. */
const NOTHING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** The part of a resolver that is asked. */
export interface MailResolver {
  resolveMx(domain: string): Promise<{ exchange: string; priority: number }[]>;
  resolve4(domain: string): Promise<string[]>;
}

/** Checks of addresses by DNS and the list of throw-away domains. @param resolver absent: of this machine */
export function mailChecks(resolver: MailResolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })): MailChecks {
  const known = new Map<string, DomainAnswer>();
  return {
    async domain(domain) {
      const before = known.get(domain);
      if (before) return before;
      const answer = await domainAnswer(resolver, domain);
      if (answer !== 'unknown') remember(known, domain, answer);
      return answer;
    },
    isDisposable,
  };
}

/** As `mailChecks`, where names of the sandbox mean nothing to any name server. */
export const CHECKS_WITHOUT_DNS: MailChecks = { domain: () => Promise.resolve('unknown'), isDisposable };

function remember(known: Map<string, DomainAnswer>, domain: string, answer: DomainAnswer): void {
  if (known.size >= MOST_DOMAINS) known.delete(known.keys().next().value ?? '');
  known.set(domain, answer);
}

async function domainAnswer(resolver: MailResolver, domain: string): Promise<DomainAnswer> {
  try {
    const hosts = await resolver.resolveMx(domain);
    // A null MX (RFC 7505) is one record whose host is the root.
    if (hosts.some(({ exchange }) => exchange !== '' && exchange !== '.')) return 'takes_mail';
    return hosts.length > 0 ? 'takes_none' : await byAddress(resolver, domain);
  } catch (error) {
    return NOTHING.has(codeOf(error)) ? byAddress(resolver, domain) : 'unknown';
  }
}

/** Without an MX mail goes to the address of the domain itself (RFC 5321, section 5.1). */
async function byAddress(resolver: MailResolver, domain: string): Promise<DomainAnswer> {
  try {
    return (await resolver.resolve4(domain)).length > 0 ? 'takes_mail' : 'takes_none';
  } catch (error) {
    return NOTHING.has(codeOf(error)) ? 'takes_none' : 'unknown';
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

async function isDisposable(domain: string): Promise<boolean> {
  const { isThrowAway } = await import('./disposable-domains.ts');
  return isThrowAway(domain);
}
