import { headerOf, type MailRow } from './mail-store.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `05-Jan-2026 09:00:00 +0000` */
export function imapDate(at: number): string {
  const iso = new Date(at).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? 'Jan';
  return `${iso.slice(8, 10)}-${month}-${iso.slice(0, 4)} ${iso.slice(11, 19)} +0000`;
}

/** A set such as `3`, `1,4:6` or `7:*` as a test; `*` is the last uid. */
export function uidsOf(set: string, last: number): (uid: number) => boolean {
  const number = (text: string): number => (text === '*' ? last : Number(text));
  const ranges = set.split(',').map((part): [number, number] => {
    const [a = '', b = a] = part.split(':');
    return [Math.min(number(a), number(b)), Math.max(number(a), number(b))];
  });
  return (uid) => ranges.some(([low, high]) => uid >= low && uid <= high);
}

/** Uids that meet all conditions; known are ALL, UID, SINCE and HEADER. */
export function search(mails: readonly MailRow[], args: readonly string[]): number[] {
  const tests: ((mail: MailRow) => boolean)[] = [];
  const last = mails.at(-1)?.uid ?? 0;
  for (let at = 0; at < args.length; at++) {
    switch ((args[at] ?? '').toUpperCase()) {
      case 'UID': {
        const wanted = uidsOf(args[++at] ?? '', last);
        tests.push((mail) => wanted(mail.uid));
        break;
      }
      case 'SINCE': {
        const since = Date.parse(`${args[++at] ?? ''} 00:00:00 GMT`);
        tests.push((mail) => mail.at >= since);
        break;
      }
      case 'HEADER': {
        const name = args[++at] ?? '';
        const text = (args[++at] ?? '').toLowerCase();
        tests.push((mail) => headerOf(mail.raw, name).toLowerCase().includes(text));
      }
    }
  }
  return mails.filter((mail) => tests.every((test) => test(mail))).map((mail) => mail.uid);
}

/** The asked items of a mail; a client that asks for others gets those that are known. */
export function fetchItems(mail: MailRow, asked: string): string {
  const items = [`UID ${mail.uid}`];
  if (/INTERNALDATE/i.test(asked)) items.push(`INTERNALDATE "${imapDate(mail.at)}"`);
  if (/RFC822\.SIZE/i.test(asked)) items.push(`RFC822.SIZE ${mail.raw.length}`);
  if (/\bFLAGS\b/i.test(asked)) items.push('FLAGS ()');
  const whole = /BODY(?:\.PEEK)?\[\](?:<(\d+)\.(\d+)>)?/i.exec(asked);
  if (whole) {
    const text = whole[1] ? mail.raw.slice(Number(whole[1]), Number(whole[1]) + Number(whole[2])) : mail.raw;
    items.push(`BODY[]${whole[1] ? `<${whole[1]}>` : ''} {${text.length}}\r\n${text}`);
  }
  const fields = /BODY(?:\.PEEK)?\[HEADER\.FIELDS \(([^)]*)\)\]/i.exec(asked)?.[1];
  if (fields !== undefined) {
    const names = fields.split(/\s+/).map((name) => name.replaceAll('"', ''));
    const text = `${names.map((name) => `${name}: ${headerOf(mail.raw, name)}\r\n`).join('')}\r\n`;
    items.push(`BODY[HEADER.FIELDS (${fields})] {${text.length}}\r\n${text}`);
  }
  return items.join(' ');
}
