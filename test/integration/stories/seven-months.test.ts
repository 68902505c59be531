import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { DAY, type EngineFixture, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { platformAdmin, searchAll } from '../../fixtures/stories/people.ts';
import { type Neighbour, OTHERS, publicIdOf, REFUSALS, Town } from '../../fixtures/stories/town.ts';
import { MONDAY } from '../../fixtures/tools/mcp-fixture.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
/** From March to the end of September. */
const SEVEN_MONTHS = 214 * DAY;
const AWAY = 'I am out of office until 20 April 2026 and read no messages.';

const neighbour = (name: string, more: Partial<Neighbour> = {}): Neighbour => ({
  ...{ name, accepts: true, says: null, isNo: false },
  ...more,
});

/** Who was marked by the client as not to be contacted; nobody of them may ever hear from us. */
const MARKED = ['Markeda', 'Markedb', 'Markedc'];
const SILENT = ['Silenta', 'Silentb', 'Silentc'];
const CLOSED = ['Closeda', 'Closedb', 'Closedc'];
const DRAFTED = ['Drafta', 'Draftb', 'Draftc', 'Draftd', 'Drafte'];
const PEOPLE: readonly Neighbour[] = [
  ...REFUSALS.map((says, index) => neighbour(`Refuser${index}`, { says, isNo: true })),
  ...OTHERS.map((says, index) => neighbour(`Other${index}`, { says })),
  ...MARKED.map((name) => neighbour(name)),
  ...SILENT.map((name) => neighbour(name)),
  ...CLOSED.map((name) => neighbour(name, { accepts: false })),
  ...DRAFTED.map((name) => neighbour(name)),
  neighbour('Away', { says: AWAY }),
];

/** As the client's CRM exports them. */
const csvOf = (people: readonly string[]): string => {
  const rows = people.map(
    (name) => `${name},Test,Firm of ${name},https://www.linkedin.com/in/${publicIdOf(name)},${MARKED.includes(name)}`,
  );
  return `First Name,Last Name,Company Name,LinkedIn Url,Do Not Contact\n${rows.join('\n')}\n`;
};

const SEQUENCE = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual', label: 'Start' },
    { nodeId: 'ask', nodeType: 'network:connection_request', label: 'Ask', config: { noteMode: 'none' } },
    { nodeId: 'wait', nodeType: 'network:wait_connection', label: 'Wait', config: { timeoutMs: 21 * DAY } },
    {
      nodeId: 'arm',
      nodeType: 'flow:split',
      label: 'Arm',
      config: { branches: [{ name: 'short' }, { name: 'long' }], metric: 'replied', maturityHours: 72 },
    },
    {
      nodeId: 'short',
      nodeType: 'network:message',
      label: 'Short',
      config: { textMode: 'static', text: 'Hello {{lead:firstName}}, may I ask you something?' },
    },
    {
      nodeId: 'long',
      nodeType: 'network:message',
      label: 'Long',
      config: {
        textMode: 'static',
        text: 'Hello {{lead:firstName}}, we help firms like {{lead:company}}. May I ask you something?',
      },
    },
    { nodeId: 'answer', nodeType: 'network:wait_reply', label: 'Answer', config: { timeoutMs: 7 * DAY } },
    {
      nodeId: 'again',
      nodeType: 'network:message',
      label: 'Again',
      config: { textMode: 'static', text: 'A last word, {{lead:firstName}}: shall we talk?' },
    },
    { nodeId: 'end', nodeType: 'flow:end', label: 'End' },
    {
      nodeId: 'closed',
      nodeType: 'flow:end',
      label: 'Closed',
      config: { reason: 'did not accept within three weeks' },
    },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 1, targetIndex: 2, branch: 'already_pending' },
    { sourceIndex: 1, targetIndex: 3, branch: 'already_connected' },
    { sourceIndex: 2, targetIndex: 3, branch: 'accepted' },
    { sourceIndex: 2, targetIndex: 9, branch: 'timed_out' },
    { sourceIndex: 3, targetIndex: 4, branch: 'short' },
    { sourceIndex: 3, targetIndex: 5, branch: 'long' },
    { sourceIndex: 4, targetIndex: 6 },
    { sourceIndex: 5, targetIndex: 6 },
    { sourceIndex: 6, targetIndex: 7, branch: 'timed_out' },
    { sourceIndex: 7, targetIndex: 8 },
  ],
};

interface Run {
  runId: string;
  leadId: string;
  leadName: string;
  state: string;
  endReason: string | null;
  endedAt: string | null;
}
interface Diagnosis {
  healthy: boolean;
  checks: { check: string; ok: boolean; detail: string; nextTool: string | null }[];
  firstBlocker: { check: string; detail: string; nextTool: string | null } | null;
}
interface Triggered {
  enrolled: number;
  skipped: { leadId: string; reason: string }[];
}

// Seven months of an agency on the stepped clock, by public tools alone.
describe('story: seven months of an agency', function () {
  this.timeout(300_000);
  let fixture: EngineFixture;
  let town: Town;
  let admin: Awaited<ReturnType<typeof platformAdmin>>;
  let leadListId: string;
  const leads = new Map<string, string>();
  const workflows: string[] = [];

  before(async () => {
    fixture = await startEngineFixture();
    town = new Town(fixture, PEOPLE);
    admin = await platformAdmin(fixture.tools);
    const { networkAccountId } = { networkAccountId: fixture.accountId };
    const dailyLimits = { connection_request: 4, message: 6 };
    await call('svc_update_network_account_settings', { networkAccountId, dailyLimits });
  });
  after(() => fixture.stop());

  const call = <T = Record<string, unknown>>(name: string, input: object = {}): Promise<T> =>
    fixture.acme.call<T>(name, input);

  /** An enabled workflow in a campaign of its own. */
  const campaign = async (title: string, graph: object, settings: object = {}): Promise<string> => {
    const { campaignId } = await call<{ campaignId: string }>('svc_create_campaign', { title });
    await call('svc_update_campaign', { campaignId, businessHours: ALWAYS, ...settings });
    const { workflowId } = await call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: title,
      graph,
    });
    await call('svc_update_workflow_status', { workflowId, enabled: true });
    workflows.push(workflowId);
    return workflowId;
  };
  const enrol = (workflowId: string, who: object): Promise<Triggered> =>
    call('svc_trigger_workflow', { workflowId, ...who, detail: 'full' });
  const idsOf = (names: readonly string[]): string[] => names.map((name) => leads.get(name) ?? '');
  const runsOf = async (workflowId: string): Promise<Run[]> =>
    (await call<{ runs: Run[] }>('svc_list_workflow_runs', { workflowId, limit: 100, detail: 'full' })).runs;
  const diagnose = (leadId: string): Promise<Diagnosis> => call('svc_diagnose', { target: 'lead', targetId: leadId });

  it('March: the client sends an export; whom it marks is excluded, the others are asked within the budget', async () => {
    ({ leadListId } = await call<{ leadListId: string }>('svc_create_lead_list', { name: 'Spring' }));
    const everybody = PEOPLE.map((one) => one.name);
    const imported = await call<{ created: number; excluded: number }>('svc_import_leads_csv', {
      csv: csvOf(everybody),
      leadListId,
    });
    expect(imported).to.deep.include({ created: everybody.length, excluded: MARKED.length });
    for (const lead of await searchAll(fixture.acme, { includeSuppressed: true }))
      leads.set(lead.firstName, lead.leadId);
    const workflowId = await campaign('Spring', SEQUENCE);
    const names = everybody.filter((name) => !DRAFTED.includes(name));
    const { enrolled, skipped } = await enrol(workflowId, { leadIds: idsOf(names) });
    expect(enrolled).to.equal(names.length - MARKED.length);
    expect(new Map(skipped.map((one) => [one.leadId, one.reason]))).to.deep.equal(
      new Map(idsOf(MARKED).map((leadId) => [leadId, 'suppressed'])),
    );
    for (let part = 0; part < 4 * 8; part++) await town.pass(3);
    expect(town.mostPerDay('connection_request'), 'a budget of 4 a day').to.equal(4);
  });

  it('April: the account is frozen for a week; nothing leaves, and each who waits is told why', async () => {
    const freeze = (frozen: boolean): Promise<unknown> =>
      admin.call('svc_admin_set_send_freeze', {
        frozen,
        accountId: fixture.accountId,
        reason: 'the network asked us to pause',
      });
    await freeze(true);
    const before = fixture.network.received.length;
    await town.days(7);
    expect(fixture.network.received).to.have.length(before);
    const [first] = workflows;
    const live = (await runsOf(first ?? '')).filter((run) => run.endedAt === null);
    expect(live).to.not.have.length(0);
    const silences = await Promise.all(live.map((run) => diagnose(run.leadId)));
    for (const { checks } of silences)
      expect(checks.some(({ check, detail }) => check === 'run' && detail.length > 20)).to.equal(true);
    const frozen = silences.filter(({ checks }) => checks.some(({ detail }) => /fr[eo]ze/i.test(detail)));
    expect(frozen.length, JSON.stringify(silences.slice(-2))).to.be.greaterThan(3);
    const { firstBlocker } = await call<Diagnosis>('svc_diagnose', {
      target: 'network_account',
      targetId: fixture.accountId,
    });
    expect(firstBlocker?.detail).to.match(/fr[eo]ze/i);
    await freeze(false);
    await town.days(21);
  });

  it('May: drafts of a reviewed campaign are decided, expire, and are taken up again', async () => {
    const review = { nodeId: 'review', nodeType: 'flow:review', label: 'Review' };
    const graph = {
      nodes: [...SEQUENCE.nodes.slice(0, 3), review, ...SEQUENCE.nodes.slice(7, 9)],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
        { sourceIndex: 1, targetIndex: 3, branch: 'already_connected' },
        { sourceIndex: 2, targetIndex: 3, branch: 'accepted' },
        { sourceIndex: 2, targetIndex: 5, branch: 'timed_out' },
        { sourceIndex: 3, targetIndex: 4 },
        { sourceIndex: 4, targetIndex: 5 },
      ],
    };
    const workflowId = await campaign('Reviewed', graph, { reviewExpiresAfterHours: 72 });
    await enrol(workflowId, { leadIds: idsOf(DRAFTED) });
    const pending = async (): Promise<{ reviewItemId: string; leadName: string }[]> =>
      (
        await call<{ reviewItems: { reviewItemId: string; leadName: string }[] }>('svc_list_review_items', {
          workflowId,
        })
      ).reviewItems;
    for (let half = 0; half < 20 && (await pending()).length < DRAFTED.length; half++) await town.pass();
    const [approved, rejected, ...left] = await pending();
    expect(left).to.have.length(DRAFTED.length - 2);
    await call('svc_approve_review_item', { reviewItemId: approved?.reviewItemId });
    await call('svc_reject_review_item', {
      reviewItemId: rejected?.reviewItemId,
      reason: 'a friend of the client',
      // biome-ignore lint/suspicious/noThenProperty: the contract names this parameter
      then: 'stop_lead',
    });
    await town.days(5);
    const expired = (await runsOf(workflowId)).filter((run) => run.endReason === 'the review expired');
    expect(expired.map((run) => run.leadName).sort()).to.deep.equal(left.map((item) => item.leadName).sort());
    await call('svc_control_workflow_runs', { runIds: expired.map((run) => run.runId), action: 'resume' });
    await town.pass();
    for (const { reviewItemId } of await pending()) await call('svc_approve_review_item', { reviewItemId });
    await town.days(14);
    const written = DRAFTED.filter((name) => town.count(name, 'message') === 1);
    expect(written).to.have.length(DRAFTED.length - 1);
  });

  it('July: the same people come again in another export, and nobody who said no is asked again', async () => {
    const csv = csvOf(PEOPLE.map((one) => one.name).reverse()).replace('Do Not Contact', 'Opted out of email');
    const again = await call<{ created: number }>('svc_import_leads_csv', {
      csv: csv.replaceAll(',true', ','),
      leadListId,
    });
    expect(again.created, 'nobody twice').to.equal(0);
    for (let step = 0; step < 40; step++) await town.pass(48);
    const workflowId = await campaign('Autumn', SEQUENCE, { contactPolicy: { recontactAfterDays: 30 } });
    const { enrolled, skipped } = await enrol(workflowId, { leadListId });
    const refused = new Set(skipped.map((one) => one.leadId));
    const names = [...MARKED, ...PEOPLE.filter((one) => one.isNo).map((one) => one.name)];
    expect(
      idsOf(names).filter((leadId) => !refused.has(leadId)),
      'who said no',
    ).to.deep.equal([]);
    expect(enrolled).to.be.greaterThan(0);
    while (fixture.tools.cluster.clock.now() < MONDAY + SEVEN_MONTHS) await town.pass(24);
  });

  it('October: nobody was written to who said no, and who was out of office was asked after their return', async () => {
    expect(town.refusers).to.have.length(REFUSALS.length);
    expect(town.writtenAfterNo()).to.deep.equal([]);
    for (const name of MARKED)
      expect(fixture.network.received.filter((one) => one.publicId === publicIdOf(name))).to.deep.equal([]);
    for (const name of CLOSED) expect(town.count(name, 'message'), name).to.equal(0);
    for (const name of ['Away', ...SILENT]) expect(town.count(name, 'message'), name).to.be.at.least(2);
    expect(town.writtenAt('Away')[1], 'after their return').to.be.at.least(Date.UTC(2026, 3, 20));
  });

  it('every ended lead has a reason that a person understands', async () => {
    const reasons = new Map<string, number>();
    for (const workflowId of workflows) {
      const runs = await runsOf(workflowId);
      for (const run of runs.filter((one) => one.endedAt !== null)) {
        expect(run.endReason ?? '', `${run.leadName}, ${run.state}`).to.match(/^[A-Za-z][^_]{5,}$/);
        const key = `${run.state}: ${run.endReason}`;
        reasons.set(key, (reasons.get(key) ?? 0) + 1);
      }
    }
    for (const [reason, count] of reasons) console.log(`        ${count} ${reason}`);
    expect(reasons.size).to.be.greaterThan(3);
  });

  it('every silence is explained, with a tool that goes on where there is something to do', async () => {
    const built = new Set<string>(ALL_TOOLS.map((tool) => tool.name));
    const told = new Map<string, number>();
    for (const [name, leadId] of leads) {
      const { healthy, checks, firstBlocker } = await diagnose(leadId);
      // What became of them in their campaign; of who never was in one, why.
      const says =
        checks.find((check) => check.check === 'run' && /ended|waits|next/.test(check.detail)) ?? firstBlocker;
      expect((says?.detail ?? '').length, name).to.be.greaterThan(20);
      expect(says?.check, name).to.not.equal('scored');
      if (!healthy && firstBlocker?.nextTool)
        expect(built.has(firstBlocker.nextTool), firstBlocker.nextTool).to.equal(true);
      const key = `${says?.check}: ${(says?.detail ?? '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')}`;
      told.set(key, (told.get(key) ?? 0) + 1);
    }
    for (const [text, count] of told) console.log(`        ${count} ${text.slice(0, 150)}`);
  });

  it('the split of the first campaign counted whom it was shown to, and who answered', async () => {
    const [workflowId] = workflows;
    const { splits } = await call<{ splits: { arms: { exposures: number; successes: number }[] }[] }>(
      'svc_get_split_results',
      {
        workflowId,
      },
    );
    const sum = (of: 'exposures' | 'successes'): number =>
      (splits[0]?.arms ?? []).reduce((all, arm) => all + arm[of], 0);
    const answered = REFUSALS.length + OTHERS.length;
    expect([sum('exposures'), sum('successes')]).to.deep.equal([answered + SILENT.length + 1, answered]);
  });

  it('what a model reads of it all fits', async () => {
    const [workflowId = ''] = workflows;
    const asked: [string, object][] = [
      ['svc_search_leads', {}],
      ['svc_get_lead_list', { leadListId }],
      ['svc_list_workflow_runs', { workflowId }],
      ['svc_get_workflow_stats', { workflowId }],
      ['svc_get_workspace_metrics', {}],
      ['svc_list_conversations', {}],
      ['svc_list_notifications', {}],
    ];
    for (const [name, input] of asked) {
      const { content } = await fixture.acme.client.callTool({ name, arguments: { ...input } });
      const size = Buffer.byteLength((content as { text: string }[])[0]?.text ?? '');
      console.log(`        ${name}: ${size} bytes`);
      expect(size, name).to.be.at.most(8_192);
    }
  });
});
