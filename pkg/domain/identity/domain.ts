import { isFreeMailDomain } from '../free-mail.ts';
import { isPublicSuffix } from '../registrable-domain.ts';
import { bareCell, type Reading, read, unread } from './reading.ts';
import { isSharedHost } from './shared-hosts.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const TOP = /^(?:[a-z]{2,63}|xn--[a-z0-9-]+)$/;

/** Domain of an address or website: `https://www.Acme.com/x` -> `acme.com`, `müller.example` in the letters of DNS; null when there is none. */
export function domainOf(text: string): string | null {
  const cell = bareCell(text).toLowerCase();
  const host = cell
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^mailto:/, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/^(?:www\d?\.)+/, '')
    .replace(/[.)>\]!*]+$/, '');
  const ascii = asciiHost(host);
  if (ascii === null || ascii.length > 253) return null;
  const labels = ascii.split('.');
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && TOP.test(labels.at(-1) ?? '')
    ? ascii
    : null;
}

/** A host (lower case) in the letters of DNS; null where it can be none. */
export function asciiHost(host: string): string | null {
  if (/^[a-z0-9.-]+$/.test(host)) return host;
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(host)) return null;
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return null;
  }
}

/** Reads the domain of an employer from a cell with its website; where many firms share a host, it is nobody's. */
export function readCompanyDomain(text: string): Reading<string> {
  const domain = domainOf(text);
  if (domain === null) return unread('is no domain such as acme.example');
  if (isFreeMailDomain(domain)) return unread('is a mail provider, not a company');
  return isSharedHost(domain) || isPublicSuffix(domain)
    ? unread('is shared by many companies, so it is not the domain of one')
    : read(domain);
}

/** The domain of who employs the owner of a mail address; '' for an address at a mail provider. */
export function employerDomain(address: string): string {
  const domain = domainOf(address.slice(address.lastIndexOf('@') + 1));
  return domain === null || isFreeMailDomain(domain) || isPublicSuffix(domain) ? '' : domain;
}
