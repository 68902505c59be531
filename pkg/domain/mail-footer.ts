/** What a text says where its unsubscribe address comes; replaced when the mail is written. */
export const UNSUBSCRIBE_PLACE = '{{unsubscribe_url}}';

/**
 * The text as it is sent: exactly one way to unsubscribe in it when `link` is wanted (where the text has its place, else
 * in the footer), and the sender's postal address when there is one. Without an address of ours the reader is told to
 * answer "unsubscribe".
 */
export function withFooter(
  text: string,
  footer: { unsubscribeUrl: string | null; link: boolean; postalAddress: string },
): string {
  const way = footer.unsubscribeUrl ?? 'answer "unsubscribe" to this mail';
  const placed = text.includes(UNSUBSCRIBE_PLACE);
  const body = text.replace(UNSUBSCRIBE_PLACE, way).replaceAll(UNSUBSCRIBE_PLACE, '');
  const lines = [
    ...(footer.postalAddress.trim() === '' ? [] : [footer.postalAddress.trim()]),
    ...(footer.link && !placed ? [`Unsubscribe: ${way}`] : []),
  ];
  return lines.length === 0 ? body : `${body.trimEnd()}\n\n-- \n${lines.join('\n')}\n`;
}
