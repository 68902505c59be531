import type { GoogleAccess } from '../../google/google-request.ts';
import { type FetchedMail, InboxReading } from '../inbox-reading.ts';
import type { MailParser } from '../mail-parser.ts';
import type { InboxMark, InboxRead, MailGuard } from '../mail-provider.ts';
import { gmailHistory, gmailIds, gmailProfile } from './gmail-api.ts';
import { idByRef, originalId } from './gmail-sent.ts';
import { type GmailSource, gmailSource } from './gmail-source.ts';

/** Mails of a page. */
const MAX_MAILS = 200;
/** Pages of history that one look turns. */
const MOST_PAGES = 20;
/** Mails that are looked through where history does not say what came. */
const MOST_LISTED = 10_000;
/** Numbers that one record of history, and one second, has for its mails. */
const PER_RECORD = 16;
const PER_SECOND = 1_000;
/** The validity of marks in history; before the colon that of marks in a list. */
const HISTORY = 'history';
const LISTED = 'listed';

/** What a look at a mailbox needs. */
export interface GmailLook {
  access: GoogleAccess;
  parser: MailParser;
  accountId: string;
  address: string;
  from: InboxMark | null;
  /** Epoch ms: where nothing is known, mails since then are read. */
  since: number;
  signal: AbortSignal;
  guard: MailGuard | undefined;
}

/**
 * New mails, oldest first, in whatever folder a filter put them: by history (M11), which Gmail keeps for a week or, rarely, some hours;
 * where it does not know the point any more, by a list of what came since `since`, and then by the history from its beginning on. A mark
 * moves only behind what was handed out. @throws CallError, ProviderError
 */
export async function readGmail(look: GmailLook): Promise<InboxRead> {
  const at = look.from;
  const point = at?.validity === HISTORY && isWhole(at.uid) ? Math.floor(at.uid / PER_RECORD) : null;
  return (point !== null && (await byHistory(look, point))) || byList(look);
}

/** A record of history that was read to its end. */
const wholeRecord = (historyId: number): number => historyId * PER_RECORD + PER_RECORD - 1;
const isWhole = (uid: number): boolean => uid % PER_RECORD === PER_RECORD - 1;

/** A mail that a record of history names. */
interface Named {
  uid: number;
  id: string;
}

async function byHistory(look: GmailLook, point: number): Promise<InboxRead | null> {
  const { access, signal } = look;
  const named: Named[] = [];
  let [end, pageToken]: [number, string | undefined] = [point, undefined];
  for (let page = 0; page < MOST_PAGES && named.length < MAX_MAILS; page++) {
    const found = await gmailHistory(access, point, pageToken, signal);
    if (!found) return null;
    for (const record of found.history) {
      named.push(...namedIn(record));
      end = record.id;
    }
    pageToken = found.nextPageToken;
    // The last page says where history stands, also behind records of other kinds.
    if (pageToken === undefined) end = Math.max(end, found.historyId);
    if (pageToken === undefined) break;
  }
  const reading = new InboxReading({ ...look, validity: HISTORY });
  const page = named.slice(0, MAX_MAILS);
  const count = await reading.read(page.map((one) => () => fetched(look, one)));
  const allRead = count === named.length;
  const last = named[count - 1]?.uid ?? wholeRecord(point);
  const uid = allRead ? wholeRecord(end) : (lastWhole(named.slice(0, count)) ?? last);
  const { mails, skipped } = reading;
  return { mails, skipped, mark: { validity: HISTORY, uid }, more: !allRead || pageToken !== undefined };
}

function namedIn({ id: historyId, messagesAdded }: { id: number; messagesAdded: readonly Added[] }): Named[] {
  const wanted = messagesAdded.filter(({ message }) => isIncoming(message.labelIds));
  return wanted.map(({ message }, place) => ({
    id: message.id,
    uid:
      place === wanted.length - 1 ? wholeRecord(historyId) : historyId * PER_RECORD + Math.min(place, PER_RECORD - 2),
  }));
}

interface Added {
  message: { id: string; labelIds: readonly string[] };
}

/** The last mail behind which a record ends: history begins only between records. */
function lastWhole(named: readonly Named[]): number | undefined {
  return named.findLast(({ uid }) => isWhole(uid))?.uid;
}

/** What came from others, whatever became of it; a mail to oneself lies in the inbox too. What somebody threw away is gone. */
function isIncoming(labels: readonly string[]): boolean {
  if (['DRAFT', 'CHAT', 'TRASH'].some((label) => labels.includes(label))) return false;
  return !labels.includes('SENT') || labels.includes('INBOX');
}

async function fetched({ access, address, signal }: GmailLook, { uid, id }: Named): Promise<FetchedMail> {
  const found = await gmailSource(access, id, signal);
  return { uid, source: found ? ownMarked(found, address) : undefined, receivedAt: found?.message.internalDate ?? 0 };
}

/** A mail of ours to ourselves is told by the Message-ID that it had before Gmail gave it another one. */
function ownMarked({ message, source }: GmailSource, address: string): Buffer {
  if (!message.labelIds.includes('SENT')) return source;
  const end = source.indexOf('\r\n\r\n');
  const head = source.subarray(0, end < 0 ? source.length : end).toString('latin1');
  const ours = idByRef(/^x-outrider-ref:[ \t]*(\S+)/im.exec(head)?.[1] ?? '', address);
  return ours === '' ? source : Buffer.concat([Buffer.from(originalId(ours)), source]);
}

/** Where a look by lists began: its history id, so that nothing is lost that comes meanwhile, and its first second. */
interface Beginning {
  historyId: number;
  since: number;
}

async function byList(look: GmailLook): Promise<InboxRead> {
  const { access, signal, from } = look;
  const known = beginningIn(from);
  const { historyId, since } = known ?? {
    historyId: (await gmailProfile(access, signal)).historyId,
    since: Math.floor(look.since / 1_000),
  };
  const done = known ? (from?.uid ?? 0) : 0;
  const first = Math.max(since, Math.floor(done / PER_SECOND));
  const ids: string[] = [];
  // Days and seconds of Gmail's search are exclusive.
  const q = `after:${first - 1} -in:sent -in:drafts -in:chats -in:trash`;
  for await (const id of gmailIds(access, { q, includeSpamTrash: 'true' }, signal))
    if (ids.push(id) >= MOST_LISTED) break;
  const validity = `${LISTED}:${historyId}:${since}`;
  const numbers = new SecondNumbers(done);
  const reading = new InboxReading({ ...look, validity });
  const fetches = ids.toReversed().map((id) => async (): Promise<FetchedMail> => {
    const found = await gmailSource(access, id, signal);
    const receivedAt = found?.message.internalDate ?? 0;
    const uid = numbers.of(receivedAt);
    return { uid, receivedAt, source: uid > done ? found?.source : undefined };
  });
  const count = await reading.read(fetches.slice(0, MAX_MAILS));
  const { mails, skipped } = reading;
  // Then the history since the beginning of this look is read.
  if (count === fetches.length)
    return { mails, skipped, mark: { validity: HISTORY, uid: wholeRecord(historyId) }, more: true };
  return { mails, skipped, mark: { validity, uid: numbers.last }, more: true };
}

function beginningIn(mark: InboxMark | null): Beginning | null {
  const [kind, historyId, since] = mark?.validity.split(':') ?? [];
  return kind === LISTED ? { historyId: Number(historyId), since: Number(since) } : null;
}

/** Rising numbers of mails by their seconds, in the order in which they are listed. */
class SecondNumbers {
  last: number;
  #second = -1;
  #place = 0;

  constructor(last: number) {
    this.last = last;
  }

  of(at: number): number {
    const second = Math.floor(at / 1_000);
    this.#place = second === this.#second ? Math.min(this.#place + 1, PER_SECOND - 1) : 0;
    this.#second = second;
    const number = second * PER_SECOND + this.#place;
    this.last = Math.max(this.last, number);
    return number;
  }
}
