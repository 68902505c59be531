import type { World } from '../world.ts';

export type Folder = 'INBOX' | 'Sent';

export interface MailRow {
  uid: number;
  raw: string;
  /** Epoch ms, product time. */
  at: number;
}

/** Files a mail of one mailbox. `visibleReal`: epoch ms real time from which it is listed. */
export function fileMail(
  world: World,
  mail: { mailbox: string; folder: Folder; raw: string; at: number; visibleReal?: number },
): void {
  world.store.run(
    'insert into mail (mailbox, folder, raw, at, visible_real) values (?, ?, ?, ?, ?)',
    mail.mailbox.toLowerCase(),
    mail.folder,
    mail.raw,
    Math.round(mail.at),
    mail.visibleReal ?? 0,
  );
}

/** The mails of a folder, oldest first. Text is kept byte by byte as latin1. */
export function listMails(world: World, mailbox: string, folder: Folder): MailRow[] {
  return world.store.all<MailRow>(
    'select row as uid, raw, at from mail where mailbox = ? and folder = ? and visible_real <= ? order by row',
    mailbox.toLowerCase(),
    folder,
    world.real.now(),
  );
}

/** The value of a header, unfolded; empty when it is not there. */
export function headerOf(raw: string, name: string): string {
  const head = raw.slice(0, raw.search(/\r?\n\r?\n/) >>> 0);
  const found = new RegExp(`^${name}:[ \\t]*((?:.*)(?:\\r?\\n[ \\t]+.*)*)`, 'im').exec(head);
  return (found?.[1] ?? '').replace(/\s+/g, ' ').trim();
}
