import { createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { AuthSeen } from '../../domain/mail-auth.ts';

/** Asks the DNS, as `dns.promises.resolve` does: ENOTFOUND and ENODATA are answers, all else says nothing. */
export type AskDns = (name: string, type: string) => Promise<unknown>;

/** What the DNS says of a sending domain. */
export interface DomainProofs {
  spf: AuthSeen;
  dkim: AuthSeen;
  dmarc: AuthSeen;
  /** none, quarantine or reject; null: there is no record, or nobody knows. */
  dmarcPolicy: string | null;
  /** What to mend, in words. */
  problems: string[];
}

/** Real ms for one question and for all about one domain, and how many those are. */
const QUESTION_MS = 3_000;
const DOMAIN_MS = 20_000;
const MOST_QUESTIONS = 60;
/** An address of nobody (RFC 5737): what passes for it passes for everybody. */
const NOBODYS_IP = '192.0.2.1';
/** Shorter keys are refused (RFC 8301). */
const LEAST_KEY_BITS = 1024;

/** The resolver of the machine, with its own patience. */
export function systemDns(): AskDns {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: 1 });
  return (name, type) => resolver.resolve(name, type);
}

/**
 * Looks up what a domain proves: SPF and DMARC by the rules of RFC 7208 and RFC 9989, DKIM for the selectors that mails of the domain
 * were seen to be signed with, since nobody can list them.
 */
export async function domainProofs(domain: string, selectors: readonly string[], ask: AskDns): Promise<DomainProofs> {
  const bounded = boundedDns(ask);
  const [spf, dmarc, dkim] = await Promise.all([
    spfOf(domain, bounded),
    dmarcOf(domain, bounded),
    dkimOf(domain, selectors, bounded),
  ]);
  return {
    spf: spf.seen,
    dmarc: dmarc.seen,
    dkim: dkim.seen,
    dmarcPolicy: dmarc.policy,
    problems: [spf.problem, dmarc.problem, dkim.problem].filter((one) => one !== null),
  };
}

interface Proof {
  seen: AuthSeen;
  problem: string | null;
}

/** A record may lead from name to name: past so many it is left. */
function boundedDns(ask: AskDns): AskDns {
  let asked = 0;
  const until = monotonicMs() + DOMAIN_MS;
  return async (name, type) => {
    asked++;
    if (asked > MOST_QUESTIONS || monotonicMs() > until)
      throw Object.assign(new Error('too many questions'), { code: 'ESERVFAIL' });
    return ask(name, type);
  };
}

/** Loaded with the first check: few processes ever make one. */
async function spfOf(domain: string, resolver: AskDns): Promise<Proof> {
  const { spf } = await import('mailauth/lib/spf/index.js');
  const { status } = await spf({
    sender: `postmaster@${domain}`,
    ip: NOBODYS_IP,
    helo: domain,
    mta: domain,
    resolver: resolver as never,
  });
  const comment = typeof status.comment === 'string' ? `: ${status.comment}` : '';
  switch (status.result) {
    case 'none':
      return { seen: 'fail', problem: `SPF: ${domain} has no record (TXT "v=spf1 … -all")` };
    case 'permerror':
      return { seen: 'fail', problem: `SPF: the record of ${domain} can not be used${comment}` };
    case 'temperror':
      return { seen: 'unknown', problem: `SPF: the DNS did not answer for ${domain}` };
    case 'pass':
      return { seen: 'fail', problem: `SPF: the record of ${domain} lets everybody send (+all)` };
    default:
      return { seen: 'pass', problem: null };
  }
}

async function dmarcOf(domain: string, resolver: AskDns): Promise<Proof & { policy: string | null }> {
  const { dmarc } = await import('mailauth/lib/dmarc/index.js');
  const found = await dmarc({ headerFrom: domain, spfDomains: [], dkimDomains: [], resolver: resolver as never });
  if (found === false)
    return { seen: 'fail', problem: `DMARC: ${domain} is no domain that mails come from`, policy: null };
  if (found.status.result === 'temperror')
    return { seen: 'unknown', problem: `DMARC: the DNS did not answer for ${domain}`, policy: null };
  if (found.policy) return { seen: 'pass', problem: null, policy: found.policy };
  return {
    seen: 'fail',
    problem: `DMARC: ${domain} has no record (TXT at _dmarc.${domain}: "v=DMARC1; p=none; rua=mailto:…")`,
    policy: null,
  };
}

/** One key that stands is enough: servers change their selectors. */
async function dkimOf(domain: string, selectors: readonly string[], ask: AskDns): Promise<Proof> {
  if (selectors.length === 0) return { seen: 'unknown', problem: null };
  const keys = await Promise.all(selectors.map((selector) => keyOf(`${selector}._domainkey.${domain}`, ask)));
  if (keys.some((key) => key.seen === 'pass')) return { seen: 'pass', problem: null };
  return keys.find((key) => key.seen === 'unknown') ?? keys[0] ?? { seen: 'unknown', problem: null };
}

async function keyOf(name: string, ask: AskDns): Promise<Proof> {
  let texts: string[];
  try {
    const rows = await ask(name, 'TXT');
    texts = Array.isArray(rows) ? rows.map((row) => (Array.isArray(row) ? row.join('') : String(row))) : [];
  } catch (error) {
    if (!isAnswer(error)) return { seen: 'unknown', problem: `DKIM: the DNS did not answer for ${name}` };
    texts = [];
  }
  const key = texts
    .map((text) => /(?:^|;)\s*p\s*=([^;]*)/.exec(text)?.[1]?.replace(/\s+/g, ''))
    .find((one) => one !== undefined);
  if (key === undefined) return { seen: 'fail', problem: `DKIM: there is no key at ${name}` };
  if (key === '') return { seen: 'fail', problem: `DKIM: the key at ${name} was revoked` };
  // A key of Ed25519 is its 32 bytes.
  if (key.length < 60) return { seen: 'pass', problem: null };
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    const bits = asymmetricKeyDetails?.modulusLength ?? LEAST_KEY_BITS;
    if (bits >= LEAST_KEY_BITS) return { seen: 'pass', problem: null };
    return { seen: 'fail', problem: `DKIM: the key at ${name} has ${bits} bits, and servers want ${LEAST_KEY_BITS}` };
  } catch (error) {
    return { seen: 'fail', problem: `DKIM: the key at ${name} is none (${messageOf(error).slice(0, 100)})` };
  }
}

/** There is no such name, or it has no such record. */
function isAnswer(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes(String((error as { code?: unknown }).code));
}
