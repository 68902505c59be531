/** What a text says where its unsubscribe address comes; replaced when the mail is written. */
export const UNSUBSCRIBE_PLACE = '{{unsubscribe_url}}';

/** Subject of a mail that asks to stop: the header of each of ours names it, and mail clients send it by themselves. */
export const STOP_SUBJECT = 'unsubscribe';
const BY_ANSWER = 'answer "unsubscribe" to this mail';
/** What footers of ours say in words: quoted, they are nobody's. */
export const FOOTERS: readonly string[] = [`Unsubscribe: ${BY_ANSWER}`];

/** Whether a line (in any case) is the way to unsubscribe that a footer of ours names: quoted, it is nobody's wish. */
export function isFooterLine(line: string): boolean {
  const way = /^\s*unsubscribe: ?(.*)$/i.exec(line)?.[1]?.toLowerCase() ?? '';
  return way.startsWith(BY_ANSWER) || /^<?https?:/.test(way);
}

/**
 * The text as it is sent: exactly one way to unsubscribe in it when `link` is wanted (where the text has its place, else
 * in the footer), and the sender's postal address when there is one. Without an address of ours the reader is told to
 * answer "unsubscribe".
 */
export function withFooter(
  text: string,
  footer: { unsubscribeUrl: string | null; link: boolean; postalAddress: string },
): string {
  const way = footer.unsubscribeUrl ?? BY_ANSWER;
  const placed = text.includes(UNSUBSCRIBE_PLACE);
  const body = text.replace(UNSUBSCRIBE_PLACE, way).replaceAll(UNSUBSCRIBE_PLACE, '');
  const lines = [
    ...(footer.postalAddress.trim() === '' ? [] : [footer.postalAddress.trim()]),
    ...(footer.link && !placed ? [`Unsubscribe: ${way}`] : []),
  ];
  return lines.length === 0 ? body : `${body.trimEnd()}\n\n-- \n${lines.join('\n')}\n`;
}
