import { expect } from 'chai';
import { listConversations } from '../../../pkg/tools/inbox/list-conversations.ts';
import { type Bench, change, enrol, openEngine, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain, HOUR } from '../../fixtures/engine/workflow-fixture.ts';
import { type ToolBench, toolBench } from '../../tools/tool-context.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
/** Two workflows of different agencies write to one person a day, and nothing but the account keeps them apart. */
const SETTINGS = {
  businessHours: ALWAYS,
  contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0, dedupeScope: 'workspace' },
};

describe('a mailbox of two agencies: what it shares is known by account and address', function () {
  this.timeout(120_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  let tools: ToolBench;
  const graph = chain(mail(), waitReply(), end);

  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
    tools = await toolBench({ appUrl: bench.appUrl, clock: bench.clock });
  });
  after(async () => {
    await tools.close();
    await nodeFixture.close();
  });

  /** Two workspaces, of an agency each, that mail through the first one's mailbox. */
  async function agencies(dedupeScope = 'workspace'): Promise<[MailWorkspace, MailWorkspace]> {
    const settings = { ...SETTINGS, contactPolicy: { ...SETTINGS.contactPolicy, dedupeScope } };
    const one = await fixture.workflowFixture(graph, settings);
    await change(bench, `update workspace set agency_id = 'of-' || id where id = $1`, [one.ws]);
    const ws = await addWorkspace(bench.app, { agencyId: `of-${one.ws}-other` });
    await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 9)', [
      one.box,
      ws,
    ]);
    const camp = await addCampaign(bench.app, ws, settings);
    const flow = await addWorkflow(bench.app, ws, camp, graph);
    const handle = await openEngine(bench, ws, one.network, { mail: fixture.desk });
    return [one, { ...one, ws, camp, flow, handle }];
  }

  /** A lead of the workspace under a profile of its own, enrolled, with its first step done. @returns why it was left out */
  async function begin(at: MailWorkspace, email: string, profileId: string | null): Promise<string | null> {
    const leadId = await addLead(bench.app, at.ws, { email, profileId });
    const [enrolled] = await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    return enrolled?.skipped ?? null;
  }

  const states = (at: MailWorkspace): Promise<object[]> =>
    query(bench, 'select state, wait_reason as reason from run where workspace_id = $1 order by started_at, id', [
      at.ws,
    ]);

  it('who opts out by mail hears nothing more from it, whichever agency has the address, under whatever profile, now or later', async () => {
    const [one, other] = await agencies();
    const address = await fixture.person({ replyText: 'Please unsubscribe me', replyAfterMs: HOUR });
    await begin(one, address, null);
    // Not written to yet when the answer comes.
    const waits = await addLead(bench.app, other.ws, { email: address, profileId: `theirs-${other.ws}` });
    await bench.clock.advance(2 * HOUR);
    await enrol(bench, other.ws, other.flow, [waits]);
    await fixture.sync(one);
    for (const { handle } of [one, other]) await handle.quiet();
    expect(await states(one)).to.deep.equal([{ state: 'suppressed', reason: null }]);
    expect(await states(other)).to.deep.equal([{ state: 'suppressed', reason: null }]);
    expect(await begin(other, address.replace('@', '+sales@'), `another-${other.ws}`)).to.equal('suppressed');
    expect(await fixture.received(one)).to.have.length(1);
    const kept = await query<{ value: string }>(
      bench,
      `select value from suppression where workspace_id = $1 and kind = 'mail'`,
      [other.ws],
    );
    expect(kept.length).to.be.greaterThan(0);
    for (const { value } of kept) expect(value, 'no address that they did not have').to.match(/^[0-9a-f]{64}$/);
  });

  it('an address that one agency pairs with a person, and to which the mailbox never wrote, is not the other one`s', async () => {
    const [one, other] = await agencies();
    const accomplice = await fixture.person({ replyText: 'Please unsubscribe me', replyAfterMs: HOUR });
    const victim = await fixture.person();
    await begin(one, accomplice, `paired-${one.ws}`);
    await change(bench, `update lead set email = $2 where workspace_id = $1`, [one.ws, victim]);
    await query(
      bench,
      `select count(*) from app.resolve_persons(array(select id from lead where workspace_id = $1), 1)`,
      [one.ws],
    );
    const theirs = await addLead(bench.app, other.ws, { email: victim, profileId: null });
    await enrol(bench, other.ws, other.flow, [theirs]);
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(one);
    expect(await states(one)).to.deep.equal([{ state: 'suppressed', reason: null }]);
    expect(
      await query(bench, 'select 1 from run where workspace_id = $1 and ended_at is null', [other.ws]),
    ).to.have.length(1);
    await other.handle.quiet();
    expect(await fixture.received(one), 'the mail to the other one`s person left').to.have.length(2);
  });

  it('with dedupe scope account nobody is opened twice by it: who claimed first goes on', async () => {
    const [one, other] = await agencies('account');
    const address = await fixture.person();
    await begin(one, address, null);
    await begin(other, address, `theirs-${other.ws}`);
    expect(await states(other)).to.deep.equal([{ state: 'blocked', reason: 'claim_held_elsewhere' }]);
    expect(await fixture.received(one)).to.have.length(1);
  });

  it('a conversation of it shows each agency its own lead', async () => {
    const [one, other] = await agencies();
    const address = await fixture.person({ replyText: 'Tell me more', replyAfterMs: HOUR });
    await begin(one, address, null);
    await begin(other, address, `theirs-${other.ws}`);
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(one);
    for (const at of [one, other]) {
      const [lead] = await query<{ id: string }>(bench, 'select id from lead where workspace_id = $1', [at.ws]);
      const { conversations } = await tools.call<{ conversations: { leadId: string | null }[] }>(
        listConversations,
        { workspaceId: at.ws },
        at.ws,
      );
      expect(conversations.length).to.be.greaterThan(0);
      for (const { leadId } of conversations) expect(leadId, at.ws).to.equal(lead?.id);
    }
  });
});
