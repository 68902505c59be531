/** Characters of a name in a mail at most. */
const MAX_NAME = 120;

/**
 * A name as a mail may show it: on one line, without control, formatting (bidi, zero-width) and tag characters, and without what mail
 * programs turn into a link, since a tenant chooses it and strangers read it.
 * @param most characters
 */
export function mailText(text: string, most = MAX_NAME): string {
  const plain = text
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/:\/\//g, ': ')
    .replace(/\bwww\./gi, 'www ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, most).join('');
}

/** Text as HTML shows it, in an attribute too. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
