import { expect } from 'chai';
import { ImapFlow } from 'imapflow';
import type { MailDesk } from '../../../pkg/engine/mail/mail-desk.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { MailParser, type MailToParse } from '../../../pkg/providers/mail/mail-parser.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { type Bench, passTime, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { chain, HOUR } from '../../fixtures/engine/workflow-fixture.ts';

const PROGRAM = new URL('../../fixtures/foreign-bytes/greedy-mail-worker.ts', import.meta.url);

describe('engine: a mail that ends its parser', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  const graph = chain(mail(), waitReply(), end);
  const greedy = new MailParser({ heapMb: 20 }, PROGRAM);
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(async () => {
    await greedy.close();
    await nodeFixture.close();
  });

  const deskOf = (parser: MailParser): MailDesk => {
    const adapter = new SmtpImapAdapter({ settleAfterMs: 60_000, parser });
    return { ...fixture.desk, providers: async () => adapter };
  };
  const unread = ({ box }: MailWorkspace): Promise<unknown[]> =>
    query(
      bench,
      `select uid, cause as why, head_read as "headRead" from unread_mail where account_id = $1 order by uid`,
      [box],
    );
  const inboxUid = async ({ box }: MailWorkspace): Promise<number> => {
    const rows = await query<{ uid: number }>(
      bench,
      `select coalesce((sync_state ->> 'inboxUid')::float8, 0) as uid from account_wake where account_id = $1`,
      [box],
    );
    return rows[0]?.uid ?? 0;
  };

  /** Puts mails into the inbox as a stranger's server does. */
  async function receive(at: MailWorkspace, subjects: readonly string[]): Promise<void> {
    const [row] = await query<{ port: number }>(bench, 'select imap_port as port from mailbox where account_id = $1', [
      at.box,
    ]);
    const auth = { user: at.address, pass: fixture.sandbox.apiKey };
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: row?.port ?? 0,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    });
    await client.connect();
    for (const subject of subjects)
      await client.append(
        'INBOX',
        `From: s@strange.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replace(/ /g, '')}@s>\r\n\r\nHello`,
      );
    await client.logout();
  }

  it('who wrote it is left alone all the same, by its head; it is listed, and the mails behind it are read', async () => {
    const at = await fixture.workflowFixture(graph);
    const eats = await nodeFixture.start(at, await fixture.person({ replyText: 'Eat memory', replyAfterMs: HOUR }));
    const says = await nodeFixture.start(at, await fixture.person({ replyText: 'Yes', replyAfterMs: HOUR }));
    await passTime(bench, at.handle, 6 * HOUR, HOUR);
    for (let round = 0; round < 2; round++) await fixture.sync(at, deskOf(greedy));
    await at.handle.quiet();
    expect([await nodeFixture.outcome(eats, 'n1'), await nodeFixture.outcome(says, 'n1')]).to.deep.equal([
      'replied',
      'replied',
    ]);
    expect(await unread(at)).to.have.length(1);
    expect((await unread(at))[0]).to.include({
      why: 'reading it takes more memory than one input may take',
      headRead: true,
    });
  });

  it('whose head ends it too is passed over, listed, and never read again', async () => {
    const at = await fixture.workflowFixture(graph);
    await receive(at, ['One', 'Eat all', 'Three']);
    for (let round = 0; round < 2; round++) await fixture.sync(at, deskOf(greedy));
    expect((await unread(at)).map((one) => (one as { headRead: boolean }).headRead)).to.deep.equal([false]);
    const read = await inboxUid(at);
    await fixture.sync(at, deskOf(greedy));
    expect([await inboxUid(at), (await unread(at)).length]).to.deep.equal([read, 1]);
    expect((await unread(at))[0], 'the last one was read').to.include({ uid: read - 1 });
  });

  it('that takes the whole process with it is counted before it is read, and passed over by the fourth one', async () => {
    const at = await fixture.workflowFixture(graph);
    await receive(at, ['First', 'Second']);
    const dying = new (class extends MailParser {
      override incoming(box: string, given: MailToParse): ReturnType<MailParser['incoming']> {
        const second = given.source.includes('Subject: Second');
        return second ? Promise.reject(new Error('the process died')) : super.incoming(box, given);
      }
    })();
    const deaths: unknown[] = [];
    for (let round = 0; round < 3; round++) await fixture.sync(at, deskOf(dying)).catch((error) => deaths.push(error));
    expect([deaths.length, await inboxUid(at)], 'nothing was lost, and nothing went on').to.deep.equal([3, 0]);
    await fixture.sync(at, deskOf(dying));
    await dying.close();
    expect(await unread(at)).to.deep.equal([
      { uid: await inboxUid(at), why: 'the process ended while it was read', headRead: false },
    ]);
  });

  it('that can not be kept is tried twice, then passed over and listed; those around it are kept at once', async () => {
    const at = await fixture.workflowFixture(graph);
    const starts = ['Fine', 'Break the store', 'Yes'].map(async (replyText) =>
      nodeFixture.start(at, await fixture.person({ replyText, replyAfterMs: HOUR })),
    );
    const runs = await Promise.all(starts);
    const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    const asOwner = (text: string): Promise<number> => owner.tx({ kind: 'none' }, (tx) => tx.exec(text));
    await asOwner(
      `create function outrider.break_store() returns trigger language plpgsql as $$
       begin raise exception 'unsupported Unicode escape sequence' using errcode = '22P05'; end $$`,
    );
    await asOwner(
      `create trigger break_store before insert on outrider.message for each row
       when (new.body like '%Break the store%') execute function outrider.break_store()`,
    );
    try {
      await passTime(bench, at.handle, 6 * HOUR, HOUR);
      const failures: unknown[] = [];
      for (let round = 0; round < 3; round++) {
        await fixture.sync(at).catch((error) => failures.push(error));
        await at.handle.quiet();
        if (round > 0) continue;
        const outcomes = await Promise.all(runs.map((run) => nodeFixture.outcome(run, 'n1')));
        expect([outcomes[0], outcomes[2]], 'others have replied').to.deep.equal(['replied', 'replied']);
        expect(await unread(at)).to.deep.equal([]);
      }
      expect(failures.map(String)).to.deep.equal(['error: unsupported Unicode escape sequence']);
      expect(await unread(at)).to.have.length(1);
      expect((await unread(at))[0]).to.include({ why: 'keeping it failed: unsupported Unicode escape sequence' });
    } finally {
      await asOwner('drop function outrider.break_store() cascade');
      await owner.close();
    }
  });
});
