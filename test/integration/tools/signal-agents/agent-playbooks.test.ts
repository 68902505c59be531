import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { agentOfRun } from '../../../../pkg/store/playbooks/agent-playbook.ts';
import { type AgentWorld, openAgentWorld } from '../../../fixtures/signals/agent-world.ts';

interface Resolved {
  resolved: { text: string | null; source: string };
}
interface Situation {
  own: string | null;
  workspace: string;
  override: string;
  /** Nobody found the person: the campaign handles the conversation. */
  byHand?: true;
  text: string | null;
  source: string;
}

const JOINED = 'W\n\nAdditional instructions for this campaign:\nO';
/** Source: specification, Playbook resolution. */
const SITUATIONS: readonly Situation[] = [
  { own: 'A', workspace: 'W', override: 'O', text: 'A', source: 'signal_agent' },
  { own: null, workspace: 'W', override: 'O', text: 'W', source: 'workspace' },
  { own: null, workspace: 'W', override: 'O', byHand: true, text: JOINED, source: 'workspace_and_campaign' },
  { own: null, workspace: '', override: 'O', byHand: true, text: 'O', source: 'campaign_override' },
  { own: null, workspace: 'W', override: '', byHand: true, text: 'W', source: 'workspace' },
];

describe('playbooks of signal agents', function () {
  this.timeout(120_000);
  let world: AgentWorld;
  let accountId = '';
  let count = 0;
  before(async () => {
    world = await openAgentWorld();
    accountId = await world.tools.account('acme');
  });
  after(() => world.stop());

  /** A conversation with a person whom an agent enqueued, or somebody by hand. */
  async function talk(situation: Situation): Promise<{ conversationId: string; agentId: string; runId: string }> {
    const { acme, tools, campaignId, workflowId } = world;
    await acme.call('svc_update_workspace', { playbook: situation.workspace });
    await acme.call('svc_update_campaign', { campaignId, playbookOverride: situation.override });
    const leadId = await world.lead({ email: `talk${++count}@talk${count}.example`, title: 'CTO' });
    const agentId = await world.agent({
      name: `Agent ${count}`,
      ...(situation.own ? { playbook: situation.own } : {}),
    });
    if (situation.byHand) await acme.call('svc_trigger_workflow', { workflowId, leadIds: [leadId] });
    else {
      await world.signal({ leadId });
      await world.run(agentId);
    }
    const [run] = await tools.rows<{ id: string; person_id: string }>(
      'select id, person_id from run where lead_id = $1',
      [leadId],
    );
    const conversationId = systemIds.uuid();
    await tools.force(
      `insert into conversation (id, account_id, external_id, person_id) values ($1::uuid, $2, $1::text, $3)`,
      [conversationId, accountId, run?.person_id],
    );
    return { conversationId, agentId, runId: run?.id ?? '' };
  }

  for (const situation of SITUATIONS)
    it(`the five situations: agent ${situation.byHand ? 'none' : (situation.own ?? 'without a text')}, workspace "${situation.workspace}", campaign "${situation.override}": ${situation.source}`, async () => {
      const { conversationId, agentId } = await talk(situation);
      const { resolved } = await world.acme.call<Resolved>('svc_get_playbook', { conversationId });
      expect(resolved).to.include({ text: situation.text, source: situation.source });
      const { conversations } = await world.acme.call<{
        conversations: { conversationId: string; handledBy: object }[];
      }>('svc_list_conversations', { detail: 'full', limit: 100 });
      const handledBy = conversations.find((one) => one.conversationId === conversationId)?.handledBy;
      expect(handledBy).to.deep.include(
        situation.byHand ? { kind: 'campaign', id: world.campaignId } : { kind: 'signal_agent', id: agentId },
      );
    });

  it('texts of its runs are written under it, and a deleted agent leaves them to the workspace and the campaign', async () => {
    const [first] = SITUATIONS;
    if (!first) return;
    const { agentId, runId, conversationId } = await talk(first);
    const read = (): ReturnType<typeof agentOfRun> => world.handle.deps.claim.tx((tx) => agentOfRun(tx, runId));
    expect(await read()).to.deep.equal({ own: { id: agentId, version: '1', text: 'A' } });
    await world.acme.call('svc_delete_signal_agent', { signalAgentId: agentId });
    expect(await read()).to.equal(null);
    const { resolved } = await world.acme.call<Resolved>('svc_get_playbook', { conversationId });
    expect(resolved).to.include({ text: JOINED, source: 'workspace_and_campaign' });
  });

  it('svc_get_playbook of an agent shows its own text', async () => {
    const id = await world.agent({ playbook: 'Mine' });
    const { resolved } = await world.acme.call<Resolved>('svc_get_playbook', { signalAgentId: id });
    expect(resolved).to.include({ text: 'Mine', source: 'signal_agent' });
  });
});
