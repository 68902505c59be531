import { parse } from 'tldts';

/**
 * The part of a host that its owner registered: `shop.acme.co.uk` is `acme.co.uk`, `acme.github.io` stays. Null where nobody registers
 * just that: a public suffix (`co.uk`, `github.io`), an address of numbers, a word without a dot. Lower case and unicode or DNS letters
 * go in and out as they are. Source of the suffixes: publicsuffix.org, with its list of hosts that let others have names below them.
 */
export function registrableDomain(host: string): string | null {
  return parse(host, { allowPrivateDomains: true }).domain;
}

/** The word that its owner chose: `acme` of `shop.acme.co.uk`; the host itself where nobody registers just that. */
export function domainLabel(host: string): string {
  return parse(host, { allowPrivateDomains: true }).domainWithoutSuffix ?? host;
}

/** Whether everybody registers names below this host (`co.uk`, `github.io`, `de`), so that it names no company. */
export function isPublicSuffix(host: string): boolean {
  return parse(host, { allowPrivateDomains: true }).publicSuffix === host;
}

/** Whether two hosts are of one owner: `mail.acme.com` and `acme.com` are, `a.github.io` and `b.github.io` are not. */
export function sameRegistrable(one: string, other: string): boolean {
  return one === other || (registrableDomain(one) ?? one) === (registrableDomain(other) ?? other);
}
