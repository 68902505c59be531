import { expect } from 'chai';
import { eraseLeadRows } from '../../../pkg/store/erasure/erasure.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import { chain, HOUR, type WorkflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

// What the inbox holds of a person whom a workspace erases.
describe('engine: conversations of who was erased', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  /** A person who is written to, and writes. */
  async function writer(): Promise<{ at: WorkflowFixture; leadId: string; write: (text: string) => Promise<void> }> {
    const at = await places.workflowFixture(bench, chain({ nodeType: 'network:wait_reply' }));
    const { leadId, publicId } = await places.lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const write = async (text: string): Promise<void> => {
      await bench.clock.advance(HOUR);
      const message = { messageId: text, chatId: `chat-${publicId}`, direction: 'in' as const, text };
      // Providers list the newest first.
      at.network.inbox.unshift({ ...message, sentAt: bench.clock.now() - 1 });
      await syncRound(bench, at);
    };
    return { at, leadId, write };
  }
  const erase = (at: WorkflowFixture, leadId: string): Promise<Record<string, number> | null> =>
    bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      eraseLeadRows(tx, { workspaceId: at.ws, leadId, now: bench.clock.now(), keep: true }),
    );
  /** Everything that is kept of the account's conversations, as text. */
  const kept = async (at: WorkflowFixture): Promise<string> => {
    const rows = await query<{ text: string }>(
      bench,
      `select string_agg(concat_ws(' ', c.participant_name, c.participant_headline, c.participant_profile_url, c.preview,
         (select string_agg(m.body || coalesce(m.subject, ''), ' ') from message m where m.conversation_id = c.id)), ' ') as text
       from conversation c where c.account_id = $1`,
      [at.account],
    );
    return (rows[0]?.text ?? '').trim();
  };

  it('are emptied, and stay so when account sync reads them again; what the person writes later shows', async () => {
    const { at, leadId, write } = await writer();
    await write('Call me at 555-CALL');
    expect(await kept(at))
      .to.contain('Call me at 555-CALL')
      .and.to.contain('linkedin.com');
    expect(await erase(at, leadId)).to.include({ conversations: 1 });
    expect(await kept(at)).to.equal('');
    await change(bench, `update account_wake set sync_state = sync_state - 'chatsUntil' - 'chatsReadAt'`, []);
    await bench.clock.advance(HOUR);
    await syncRound(bench, at);
    expect(await kept(at)).to.equal('');
    await write('Hello again');
    expect(await kept(at))
      .to.contain('Hello again')
      .and.to.not.contain('555-CALL');
  });

  it('of an account that another workspace shares stay as they are: they are theirs too', async () => {
    const { at, leadId, write } = await writer();
    await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)', [
      at.account,
      await addWorkspace(bench.app),
    ]);
    await write('For both of you');
    expect(await erase(at, leadId)).to.include({ conversations: 0 });
    expect(await kept(at)).to.contain('For both of you');
  });
});
