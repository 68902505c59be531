/** A signature that a mail of ours carried where it arrived. */
export interface SeenSignature {
  /** `d=`, lower case. */
  domain: string;
  /** `s=`. */
  selector: string;
  /** It covers both headers of one-click unsubscribe (RFC 8058). */
  oneClick: boolean;
}

const MOST_SIGNATURES = 5;
const NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;

/** The DKIM signatures in the source of a mail, also in that of one which a report carries. */
export function signaturesIn(raw: string): SeenSignature[] {
  const found: SeenSignature[] = [];
  for (const [, value = ''] of raw.matchAll(/^dkim-signature:((?:.*)(?:\r?\n[ \t]+.*)*)/gim)) {
    const tag = (name: string): string =>
      (new RegExp(`(?:^|;)\\s*${name}\\s*=([^;]*)`).exec(value)?.[1] ?? '').replace(/\s+/g, '');
    const [domain, selector] = [tag('d').toLowerCase(), tag('s')];
    if (!NAME.test(domain) || !NAME.test(selector) || selector.length > 100) continue;
    const covered = tag('h').toLowerCase().split(':');
    const oneClick = ['list-unsubscribe', 'list-unsubscribe-post'].every((name) => covered.includes(name));
    found.push({ domain, selector, oneClick });
    if (found.length >= MOST_SIGNATURES) break;
  }
  return found;
}
