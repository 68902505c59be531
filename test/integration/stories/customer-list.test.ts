import { expect } from 'chai';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { type Item, message, reviewedFlows } from '../../fixtures/stories/reviewed-flows.ts';

interface Effect {
  runsStopped: number;
  leadsMatched: number;
  examples: { fullName: string }[];
  sentBefore: { runId: string; action: string }[];
}
interface Run {
  state: string;
  endReason: string | null;
}

// Sales sends the list of customers when the campaign runs for days already.
describe('story: the customer list arrives late and stops what is in flight', function () {
  this.timeout(180_000);
  let fixture: EngineFixture;
  before(async () => {
    fixture = await startEngineFixture();
  });
  after(() => fixture.stop());
  const { flow, items, pending } = reviewedFlows(() => fixture);

  const trigger = async (workflowId: string, names: readonly string[]): Promise<string[]> => {
    const leadIds = await fixture.people(names);
    return (await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', { workflowId, leadIds })).runIds;
  };
  const run = async (runId: string): Promise<Run> =>
    (await fixture.acme.call<{ run: Run }>('svc_get_workflow_run', { runId })).run;
  const received = (text: string): string[] =>
    fixture.network.received.filter((one) => one.text === text).map((one) => one.publicId);
  const exclude = (entries: object[], more: object = {}): Promise<Effect> =>
    fixture.acme.call<Effect>('svc_import_signal_exclusions', { entries, source: 'customer', ...more });
  const hours = async (count: number): Promise<void> => {
    for (let hour = 0; hour < count; hour++) await fixture.pass(HOUR);
  };

  it('whom the list names gets nothing more, everybody else goes on, and what had left is named', async () => {
    const nap = {
      nodeId: 'nap',
      nodeType: 'flow:wait',
      label: 'Nap',
      config: { waitType: 'duration', durationMs: DAY },
    };
    const workflowId = await flow([message('first', 'Hello'), nap, message('second', 'Again')]);
    const [ann = '', ben = '', cid = ''] = await trigger(workflowId, ['Ann', 'Ben', 'Cid']);
    await hours(6);
    expect(received('Hello').sort()).to.deep.equal(['p-ann', 'p-ben', 'p-cid']);

    const list = [
      { kind: 'company', value: 'Firm of Ann Inc.' },
      { kind: 'profile_url', value: 'https://www.linkedin.com/in/p-ben/' },
      { kind: 'domain', value: 'nobody-here.example' },
    ];
    const shown = await exclude(list, { dryRun: true });
    expect(shown).to.deep.include({ runsStopped: 2, leadsMatched: 2 });
    expect((await run(ann)).state, 'a look stops nobody').to.equal('waiting');

    const done = await exclude(list);
    expect(done).to.deep.include({ runsStopped: 2, leadsMatched: 2 });
    expect(done.examples).to.deep.equal(shown.examples);
    const sent = done.sentBefore.map(({ runId, action }) => `${action} ${runId}`).sort();
    expect(sent, 'what no list takes back').to.deep.equal([`message ${ann}`, `message ${ben}`].sort());
    for (const runId of [ann, ben])
      expect(await run(runId)).to.deep.include({ state: 'suppressed', endReason: 'excluded' });
    await hours(30);
    expect(received('Again')).to.deep.equal(['p-cid']);
    expect((await run(cid)).state).to.equal('completed');
  });

  it('X4: an exclusion is checked at import, enrolment, approval and dispatch', async () => {
    const workflowId = await flow([{ nodeType: 'flow:review' }, message('only', 'Reviewed')]);
    const [runId = ''] = await trigger(workflowId, ['Dan']);
    await fixture.pass(0);
    const { reviewItemId } = await pending(workflowId);
    await exclude([
      { kind: 'company', value: 'Firm of Dan' },
      { kind: 'company', value: 'Firm of Eve' },
    ]);
    // Approval: the draft went with the run.
    expect((await items(workflowId, 'cancelled')).map((item: Item) => item.reviewItemId)).to.deep.equal([reviewItemId]);
    expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId })).to.match(/cancelled/);
    expect((await run(runId)).state).to.equal('suppressed');
    // Import: the lead is known, and counted as one who is not contacted.
    const imported = await fixture.acme.call<{ suppressed: number }>('svc_import_leads_csv', {
      csv: 'First name,Last name,Company,LinkedIn\nEve,Test,FIRM OF EVE GmbH,https://www.linkedin.com/in/p-eve\n',
    });
    expect(imported.suppressed).to.equal(1);
    // Enrolment.
    const [eve = ''] = await fixture.people(['Eve']);
    const answer = await fixture.acme.call<{ enrolled: number; skipped: { reason: string }[] }>(
      'svc_trigger_workflow',
      {
        workflowId,
        leadIds: [eve],
      },
    );
    expect([answer.enrolled, answer.skipped.map(({ reason }) => reason)]).to.deep.equal([0, ['suppressed']]);
    expect(received('Reviewed')).to.deep.equal([]);
  });

  it('X4: what is claimed and not dispatched when the exclusion comes never leaves', async () => {
    const workflowId = await flow([message('m', 'Claimed')]);
    let during: Promise<Effect> | undefined;
    fixture.network.connected.add('p-fay').add('p-gus');
    const lookup = fixture.network.lookupProfile.bind(fixture.network);
    // Between the claim of the send and its dispatch the executor asks for the profile of whom it writes to.
    fixture.network.lookupProfile = async (account, profile) => {
      during ??= exclude([
        { kind: 'company', value: 'Firm of Fay' },
        { kind: 'company', value: 'Firm of Gus' },
      ]);
      await during;
      return lookup(account, profile);
    };
    const runIds = await trigger(workflowId, ['Fay', 'Gus']);
    await hours(4);
    fixture.network.lookupProfile = lookup;
    expect((await during)?.runsStopped).to.equal(2);
    expect(received('Claimed')).to.deep.equal([]);
    for (const runId of runIds) expect((await run(runId)).state).to.equal('suppressed');
  });

  it('an exclusion that a sister of the agency shares ends nothing by itself, and still nothing leaves', async () => {
    const workflowId = await flow([message('m', 'Shared')]);
    const { tools } = fixture;
    const [home] = await tools.rows<{ workspace_id: string }>('select workspace_id from workflow where id = $1', [
      workflowId,
    ]);
    await tools.force(`update workspace set agency_id = 'one' where id = $1 or id = 'rival'`, [home?.workspace_id]);
    await tools.force(
      `update workspace set settings = settings || '{"shareSuppressionWithAgency": true}' where id = 'rival'`,
    );
    const [runId = ''] = await trigger(workflowId, ['Hal']);
    const rival = await tools.as({ workspace: 'rival' });
    await rival.call('svc_add_signal_exclusion', { kind: 'company', value: 'Firm of Hal' });
    await hours(3);
    expect(received('Shared')).to.deep.equal([]);
    expect(await run(runId)).to.deep.include({ state: 'suppressed' });
  });
});
