import { expect } from 'chai';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { searchAll } from '../../fixtures/stories/people.ts';
import { OTHERS, REFUSALS } from '../../fixtures/stories/town.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
const AWAY = 'I am out of office until 20 April 2026 and read no messages.';
/** What mail programs put below an answer: our own words, with the address to unsubscribe. */
const QUOTE =
  'On Mon, 6 Apr 2026 at 09:00, Grace Hopper <grace@agency.example> wrote:\n> Hello, may I ask you something?\n> --\n> Unsubscribe: https://agency.example/u/x';

/** Somebody with a mailbox, and what they or their server do about a mail. */
interface Reader {
  name: string;
  does: object;
  /** Whether they are never to hear from us again. */
  isNo: boolean;
}

const READERS: readonly Reader[] = [
  // Half of them answer above the quoted mail.
  ...REFUSALS.map((says, index) => ({
    name: `Refuser${index}`,
    does: { replyText: index % 2 === 0 ? says : `${says}\n\n${QUOTE}`, replyAfterMs: 3 * HOUR },
    isNo: true,
  })),
  ...OTHERS.map((says, index) => ({
    name: `Other${index}`,
    does: { replyText: `${says}\n\n${QUOTE}`, replyAfterMs: 5 * HOUR },
    isNo: false,
  })),
  { name: 'Gone', does: { bounce: 'hard' }, isNo: true },
  { name: 'Angry', does: { complains: true }, isNo: true },
  { name: 'Clicker', does: {}, isNo: true },
  { name: 'Away', does: { autoReply: AWAY }, isNo: false },
  { name: 'Silenta', does: {}, isNo: false },
  { name: 'Silentb', does: {}, isNo: false },
];
const SILENT = ['Silenta', 'Silentb'];

const mailNode = (nodeId: string, text: string): object => ({
  nodeId,
  nodeType: 'mail:send',
  label: nodeId,
  config: { subject: 'A question about {{lead:company}}', text },
});
const SEQUENCE = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual', label: 'Start' },
    mailNode('first', 'Hello {{lead:firstName}}, may I ask you something?'),
    { nodeId: 'answer', nodeType: 'mail:wait_reply', label: 'Answer', config: { timeoutMs: 7 * DAY } },
    mailNode('again', 'A last word, {{lead:firstName}}: shall we talk?'),
    { nodeId: 'end', nodeType: 'flow:end', label: 'End' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3, branch: 'timed_out' },
    { sourceIndex: 3, targetIndex: 4 },
  ],
};

const addressOf = (name: string): string => `${name.toLowerCase()}@firm-of-${name.toLowerCase()}.example`;
const namesOf = (isNo: boolean): string[] => READERS.flatMap((one) => (one.isNo === isNo ? [one.name] : []));

interface Run {
  leadId: string;
  leadName: string;
  state: string;
  endReason: string | null;
  endedAt: string | null;
}
interface Diagnosis {
  checks: { check: string; detail: string }[];
  firstBlocker: { detail: string } | null;
}

// Mail is read in every language, with our own words quoted below it; the servers are real, the clock is stepped.
describe('story: months of mail', function () {
  this.timeout(300_000);
  let fixture: EngineFixture;
  let box: string;
  let leadListId: string;
  const leads = new Map<string, string>();

  before(async () => {
    fixture = await startEngineFixture(undefined, undefined, true);
    const { mail, tools } = fixture;
    if (!mail) throw new Error('no mail servers');
    const { workspace } = await call<{ workspace: { workspaceId: string } }>('svc_get_workspace');
    box = await mail.mailbox(workspace.workspaceId, { limit: 8 });
    for (const { name, does } of READERS) await mail.person(does, addressOf(name));
    expect(tools.ingressUrl).to.match(/^http:/);
  });
  after(() => fixture.stop());

  const call = <T = Record<string, unknown>>(name: string, input: object = {}): Promise<T> =>
    fixture.acme.call<T>(name, input);
  const received = async () => {
    const { mail } = fixture;
    return mail ? await mail.received({ address: `${box}@agency.example` }) : [];
  };
  const mailsTo = async (name: string) => (await received()).filter((one) => one.target === addressOf(name));
  /** Days in parts, in each of which the executor acts, people answer, and the mailbox is read. */
  const days = async (count: number, partHours = 12): Promise<void> => {
    for (let part = 0; part < (24 / partHours) * count; part++) {
      await fixture.pass(partHours * HOUR);
      await fixture.mail?.sync({ box });
    }
  };
  const campaign = async (title: string, settings: object = {}): Promise<string> => {
    const { campaignId } = await call<{ campaignId: string }>('svc_create_campaign', { title });
    await call('svc_update_campaign', { campaignId, businessHours: ALWAYS, ...settings });
    const made = await call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: title,
      graph: SEQUENCE,
    });
    await call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
    return made.workflowId;
  };
  let spring = '';

  it('March: all are written to within the budget of the mailbox, and one takes the link at the end of the mail', async () => {
    const rows = READERS.map(({ name }) => `${name},Test,Firm of ${name},${addressOf(name)}`);
    const csv = `First Name,Last Name,Company Name,Email\n${rows.join('\n')}\n`;
    ({ leadListId } = await call<{ leadListId: string }>('svc_create_lead_list', { name: 'Readers' }));
    await call('svc_import_leads_csv', { csv, leadListId });
    for (const lead of await searchAll(fixture.acme, { includeSuppressed: true }))
      leads.set(lead.firstName, lead.leadId);
    spring = await campaign('Spring');
    const { enrolled } = await call<{ enrolled: number }>('svc_trigger_workflow', {
      workflowId: spring,
      leadIds: [...leads.values()],
    });
    expect(enrolled).to.equal(READERS.length);
    await days(1, 3);
    expect((await received()).length, 'the first day').to.be.within(1, 8);
    await days(3, 3);
    for (const { name } of READERS) expect(await mailsTo(name), name).to.have.length(1);
    const [mail] = await mailsTo('Clicker');
    const link = /Unsubscribe: (http:\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
    expect((await fetch(link)).status, 'looking changes nothing').to.equal(200);
    const answer = await fetch(link, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect(answer.status).to.equal(200);
  });

  it('April: only who said nothing are reminded; who was away is reminded after their return', async () => {
    const before = (await received()).length;
    const again = async (): Promise<string[]> =>
      (await received())
        .slice(before)
        .map((one) => one.target)
        .toSorted();
    while (fixture.tools.cluster.clock.now() < Date.UTC(2026, 3, 19)) await days(1, 24);
    expect(await again()).to.deep.equal(SILENT.map(addressOf));
    await days(14, 24);
    expect(await again()).to.deep.equal(['Away', ...SILENT].map(addressOf));
  });

  it('who said yes is with a person: their answers lie in the inbox as they wrote them, without our words below', async () => {
    const { conversations } = await call<{ conversations: { preview: string; participant: { name: string } }[] }>(
      'svc_list_conversations',
      { limit: 100 },
    );
    for (const [index, says] of OTHERS.entries()) {
      const found = conversations.find((one) => one.participant.name === addressOf(`Other${index}`));
      expect(JSON.stringify(found), says).to.contain(says);
    }
  });

  it('July: nobody is asked again who said no, whose address is dead, who complained or who took the link', async () => {
    await days(60, 48);
    const before = (await received()).length;
    const summer = await campaign('Summer', { contactPolicy: { recontactAfterDays: 30 } });
    const { skipped } = await call<{ skipped: { leadId: string; reason: string }[] }>('svc_trigger_workflow', {
      workflowId: summer,
      leadListId,
      detail: 'full',
    });
    const refused = new Set(skipped.map((one) => one.leadId));
    // They may have another address one day: their run ends when nobody can be written to.
    const gone = namesOf(true).filter((name) => name !== 'Gone');
    expect(gone.filter((name) => !refused.has(leads.get(name) ?? ''))).to.deep.equal([]);
    await days(5, 6);
    const asked = new Set((await received()).slice(before).map((one) => one.target));
    expect(namesOf(true).filter((name) => asked.has(addressOf(name)))).to.deep.equal([]);
    expect(SILENT.filter((name) => !asked.has(addressOf(name)))).to.deep.equal([]);
  });

  it('every ended lead has a reason, and every silence is explained', async () => {
    const { runs } = await call<{ runs: Run[] }>('svc_list_workflow_runs', {
      workflowId: spring,
      limit: 100,
      detail: 'full',
    });
    expect(runs).to.have.length(READERS.length);
    for (const run of runs) {
      expect(run.endedAt, run.leadName).to.not.equal(null);
      expect(run.endReason ?? '', `${run.leadName}, ${run.state}`).to.match(/^[A-Za-z][^_]{5,}$/);
    }
    for (const [name, leadId] of leads) {
      const { checks, firstBlocker } = await call<Diagnosis>('svc_diagnose', { target: 'lead', targetId: leadId });
      const says = firstBlocker ?? checks.find((one) => one.check === 'run');
      expect((says?.detail ?? '').length, name).to.be.greaterThan(20);
    }
  });
});
