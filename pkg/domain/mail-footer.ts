import { markupText } from '../base/markup-text.ts';

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

/** What mails end with. */
export interface MailFooter {
  /** Null: there is no address of ours, and the reader is told to answer "unsubscribe". */
  unsubscribeUrl: string | null;
  /** Whether the way to unsubscribe stands in the text, too. */
  link: boolean;
  /** Of the sender; '': none is given. */
  postalAddress: string;
  /** Of the mailbox; absent or '': none. */
  signature?: string;
}

/**
 * The text as it is sent: exactly one way to unsubscribe in it when `link` is wanted (where the text has its place, else
 * in the footer), the signature of the mailbox and the sender's postal address where there are any.
 */
export function withFooter(text: string, footer: MailFooter): string {
  const way = wayOf(footer);
  const body = text.replace(UNSUBSCRIBE_PLACE, () => way).replaceAll(UNSUBSCRIBE_PLACE, '');
  const lines = footerLines(text, footer);
  return lines.length === 0 ? body : `${body.trimEnd()}\n\n-- \n${lines.join('\n')}\n`;
}

/** As {@link withFooter}, of the HTML of a mail. */
export function htmlWithFooter(html: string, footer: MailFooter): string {
  const way = markupText(wayOf(footer));
  const body = html.replace(UNSUBSCRIBE_PLACE, () => way).replaceAll(UNSUBSCRIBE_PLACE, '');
  const lines = footerLines(html, footer);
  if (lines.length === 0) return body;
  const end = `<p>${['-- ', ...lines]
    .flatMap((line) => line.split('\n'))
    .map(linked)
    .join('<br>')}</p>`;
  const close = /<\/body\s*>/i.exec(body)?.index ?? body.length;
  return body.slice(0, close) + end + body.slice(close);
}

function wayOf({ unsubscribeUrl }: MailFooter): string {
  return unsubscribeUrl ?? BY_ANSWER;
}

function footerLines(text: string, footer: MailFooter): string[] {
  const { signature = '', postalAddress, link } = footer;
  const given = [signature, postalAddress].map((one) => one.trim()).filter((one) => one !== '');
  return link && !text.includes(UNSUBSCRIBE_PLACE) ? [...given, `Unsubscribe: ${wayOf(footer)}`] : given;
}

function linked(line: string): string {
  return markupText(line).replace(/https?:\/\/[^\s&<>"]+/g, (url) => `<a href="${url}">${url}</a>`);
}
