import { expect } from 'chai';
import type { MailProvider } from '../../../pkg/providers/mail/mail-provider.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { eraseLeadRows, leaveTombstone } from '../../../pkg/store/erasure/erasure.ts';
import { type Bench, change, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain, HOUR } from '../../fixtures/engine/workflow-fixture.ts';

// A mail comes back when its person was erased.
describe('engine: a bounce that comes after the erasure of its person', function () {
  this.timeout(120_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());

  /** Writes to somebody whose address is none, and erases them before that is known. */
  async function erased(
    keep: boolean,
    { sharing = false, known = false } = {},
  ): Promise<{ at: MailWorkspace; to: string; other: string }> {
    const at = await fixture.workflowFixture(chain(mail(), waitReply(), end));
    const other = await addWorkspace(bench.app);
    if (sharing)
      await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)', [
        at.box,
        other,
      ]);
    const to = await fixture.person({ bounce: 'hard' });
    const leadId = await nodeFixture.start(at, to);
    if (known) {
      await bench.clock.advance(2 * HOUR);
      await fixture.sync(at, { ...fixture.desk, providers: async () => unnamed });
    }
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, async (tx) => {
      const now = bench.clock.now();
      const person = { email: to, profileUrl: '', fullName: 'Ada Test', company: 'Acme' };
      if (keep) await leaveTombstone(tx, at.ws, person, { reason: 'data_subject_request', now });
      await eraseLeadRows(tx, { workspaceId: at.ws, leadId, now, keep });
    });
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(at);
    return { at, to, other };
  }
  /** Reports as servers write them that return nothing of the mail. */
  const unnamed = new (class extends SmtpImapAdapter {
    override async readInbox(...given: Parameters<MailProvider['readInbox']>): ReturnType<MailProvider['readInbox']> {
      const read = await super.readInbox(...given);
      return { ...read, mails: read.mails.map((one) => ({ ...one, mentions: [] })) };
    }
  })({ settleAfterMs: 60_000 });
  /** Where the address stands. */
  const kept = async (at: MailWorkspace, to: string): Promise<string[]> => {
    const rows = await query<{ where: string }>(
      bench,
      `select 'report' as where from mail_report where account_id = $1 and (address || reason) ~ $3
       union all select 'bar of ' || workspace_id from suppression where (value || reason) ~ $3
       union all select 'history' from run_event where workspace_id = $2 and (text || data::text) ~ $3`,
      [at.box, at.ws, to.split('@')[0]],
    );
    return rows.map((row) => row.where);
  };
  const reports = (at: MailWorkspace): Promise<unknown[]> =>
    query(bench, 'select kind from mail_report where account_id = $1', [at.box]);

  for (const keep of [true, false]) {
    it(`keeps nothing of whom it was about, and counts for the mailbox (${keep ? 'with' : 'without'} a tombstone)`, async () => {
      const { at, to } = await erased(keep);
      expect(await reports(at)).to.deep.equal([{ kind: 'hard_bounce' }]);
      expect(await kept(at, to)).to.deep.equal([]);
    });
  }

  it('or before it, and named no mail of ours', async () => {
    const { at, to } = await erased(true, { known: true });
    expect(await reports(at)).to.deep.equal([{ kind: 'hard_bounce' }]);
    expect(await kept(at, to)).to.deep.equal([]);
  });

  it('bars the address where another workspace shares the mailbox, and nowhere else', async () => {
    const { at, to, other } = await erased(true, { sharing: true });
    expect(await kept(at, to)).to.deep.equal([`bar of ${other}`]);
  });
});
