import { asciiHost } from './domain.ts';
import { bareCell, percentDecoded, type Reading, read, unread } from './reading.ts';

/** An address, and the others that the same cell gives. */
export interface MailCell {
  address: string;
  others: readonly string[];
}

const LOCAL = /^[^\s@<>"(),:;\\[\]\p{C}\u{fffd}]{1,64}$/u;
/** A sign that nobody sees, percent-encoded outside a link: nobody has such an address. */
const ENCODED_UNSEEN =
  /%(?:[01][0-9a-f]|7f|c2%(?:[89][0-9a-f]|ad)|e2%80%(?:8[b-f]|a[89a-e])|e2%81%a[0-9a-f]|ef%bb%bf)/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const TOP = /^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;

/** Trimmed lower-case address with its host in the letters of DNS, or null when the text is no address, or more than one. */
export function mailAddress(text: string): string | null {
  const { value } = readMail(text);
  return value === null || value.others.length > 0 ? null : value.address;
}

/**
 * Reads a cell with a mail address as people paste it: with a display name, `mailto:`, quotes, the dot of a sentence, signs that nobody
 * sees. Of several addresses the first is the person's. Each part of the cell must be an address: out of `anna brandt@x.example` nobody
 * knows whose it is.
 */
export function readMail(text: string): Reading<MailCell> {
  const pieces = bareCell(withoutName(text.replace(/\([^()]*\)/g, ' ')))
    .split(/[\s,;|]+|\/+(?=[^\s/]*@)/)
    .map((piece) => bareCell(piece))
    .filter((piece) => piece !== '');
  const addresses = pieces.map(addressOf);
  const [first] = addresses;
  if (first === undefined || addresses.some((address) => address === null)) return unread('is no mail address');
  const distinct = [...new Set(addresses)].flatMap((address) => address ?? []);
  const [address = '', ...others] = distinct;
  return read({ address, others }, others.length > 0 ? 'gives several mail addresses: the first one is used' : null);
}

/** `Ida Roth <ida@x.example>, Bo <bo@x.example>` are two addresses. */
function withoutName(text: string): string {
  const angled = [...text.matchAll(/<([^<>]*@[^<>]*)>/g)].map((match) => match[1] ?? '');
  const rest = text.replace(/<[^<>]*@[^<>]*>/g, ' ');
  return angled.length > 0 && !rest.includes('@') ? angled.join(' ') : text;
}

function addressOf(piece: string): string | null {
  const link = /^mailto:(?:\/\/)?(.*)$/is.exec(piece)?.[1]?.replace(/\?.*$/s, '');
  const plain = (link === undefined ? piece.replace(/\?.*$/s, '') : percentDecoded(link))
    .replace(/^[<[{(:*]+|[>\]})*.:!?]+$/g, '')
    .normalize('NFKC')
    .toLowerCase();
  const bare = bareCell(plain);
  const [local = '', written = '', ...more] = bare.split('@');
  // One mailbox is one address, in whichever letters people type its host.
  const host = asciiHost(written) ?? '';
  if (more.length > 0 || bare.length > 254 || !LOCAL.test(local) || ENCODED_UNSEEN.test(local)) return null;
  const labels = host.split('.');
  const fits = labels.length > 1 && labels.every((label) => label.length <= 63 && LABEL.test(label));
  return fits && TOP.test(labels.at(-1) ?? '') ? `${local}@${host}` : null;
}
