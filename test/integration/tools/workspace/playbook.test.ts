import { expect } from 'chai';
import type { AiWriter } from '../../../../pkg/providers/ai/ai-writer.ts';
import { agreeingModel } from '../../../fixtures/agreeing-model.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

interface Playbook {
  playbook: string | null;
  version: string | null;
  manuallyEdited: boolean;
  resolved: { text: string | null; source: string; parts: object[]; reason: string };
}
interface Written {
  playbook: string;
  version: string;
  previousVersion: string | null;
  creditsSpent: number;
  notes: string[];
}

describe('tools: playbook, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let user: ToolUser;
  let rival: ToolUser;
  let workspace = '';
  let count = 0;

  before(async () => {
    tools = await startMcpTools(undefined, undefined, { ai: agreeingModel() });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(() => tools.stop());
  beforeEach(async () => {
    count += 1;
    workspace = `book-${count}`;
    await tools.workspace(workspace);
    user = await tools.as({ workspace });
  });

  it('the history is read and restored: an old text comes back as a new version', async () => {
    for (const playbook of ['First text', 'Second text']) await user.call('svc_update_workspace', { playbook });
    interface Read extends Playbook {
      history: { version: string; source: string; length: number }[];
    }
    const read = (version?: number): Promise<Read> => user.call('svc_get_playbook', version ? { version } : {});
    expect((await read()).history.map(({ version, length }) => [version, length])).to.deep.equal([
      ['2', 11],
      ['1', 10],
    ]);
    expect((await read(1)).playbook).to.equal('First text');
    await user.call('svc_update_workspace', { playbookVersion: 1 });
    expect(await read()).to.include({ playbook: 'First text', version: '3' });
    expect(await user.refusal('svc_update_workspace', { playbookVersion: 9 })).to.match(
      /no version 9.*svc_get_playbook/,
    );
    expect(await user.refusal('svc_get_playbook', { version: 9 })).to.match(/no version 9/);
    expect(await user.refusal('svc_update_workspace', { playbookVersion: 1, playbook: 'x' })).to.match(/not both/);
  });

  const grant = (amount: number): Promise<unknown> =>
    tools.rows(`select * from app.move_credits($1, 'grant', $2, 'g', 1, 'test', null, 'test')`, [workspace, amount]);
  const read = (input: object = {}): Promise<Playbook> => user.call<Playbook>('svc_get_playbook', input);
  const write = (input: object = {}): Promise<Written> => user.call<Written>('svc_regenerate_playbook', input);
  const balance = async (): Promise<[number, number]> => {
    const found = await user.call<{ balance: number; held: number }>('svc_get_credit_balance');
    return [found.balance, found.held];
  };
  const campaign = async (input: object): Promise<string> => {
    const { campaignId } = await user.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' });
    await user.call('svc_update_campaign', { campaignId, ...input });
    return campaignId;
  };

  describe('svc_get_playbook', () => {
    it('a workspace without any has none, and says why', async () => {
      expect(await read()).to.deep.include({ playbook: null, version: null, manuallyEdited: false });
      expect((await read()).resolved).to.deep.include({ text: null, source: 'none', parts: [] });
    });

    it('the same text by hand again is no new version', async () => {
      for (const playbook of ['Be kind', 'Be kind']) await user.call('svc_update_workspace', { playbook });
      expect(await read()).to.deep.include({ playbook: 'Be kind', version: '1', manuallyEdited: true });
      await user.call('svc_update_workspace', { playbook: 'Be kinder' });
      expect(await read()).to.deep.include({ playbook: 'Be kinder', version: '2' });
    });

    it('for a campaign: the override alone, then appended to the workspace playbook, with versions and reason', async () => {
      const campaignId = await campaign({ playbookOverride: 'Be brief' });
      expect((await read({ campaignId })).resolved).to.include({ text: 'Be brief', source: 'campaign_override' });
      await grant(10);
      const { playbook } = await write();
      const { resolved } = await read({ campaignId });
      expect(resolved.text).to.equal(`${playbook}\n\nAdditional instructions for this campaign:\nBe brief`);
      expect(resolved.source).to.equal('workspace_and_campaign');
      expect(resolved.parts).to.deep.equal([
        { kind: 'workspace', id: workspace, version: '1' },
        { kind: 'campaign_override', id: campaignId, version: '2' },
      ]);
      expect(resolved.reason).to.equal('the campaign override is appended to the workspace playbook');
      expect((await read()).resolved).to.include({ text: playbook, source: 'workspace' });
    });

    it('for a conversation: the campaign that handles it decides', async () => {
      const campaignId = await campaign({ playbookOverride: 'For this one' });
      const accountId = await tools.account(workspace);
      const [row] = await tools.force<{ id: string }>(
        `with who as (insert into person (id, created_at) values (gen_random_uuid(), 1) returning id),
           known as (insert into lead (id, workspace_id, person_id, created_at, updated_at) select gen_random_uuid(), $1, id, 1, 1 from who returning id, person_id),
           ran as (insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at)
             select gen_random_uuid(), $1, 'w', $2, id, person_id, 1, '', 'replied', 1, 1 from known)
         insert into conversation (id, account_id, external_id, person_id, participant_name, last_message_at)
           select gen_random_uuid(), $3, 'chat', id, 'Ada', 1 from who returning id`,
        [workspace, campaignId, accountId],
      );
      const { resolved } = await read({ conversationId: row?.id });
      expect(resolved).to.include({ text: 'For this one', source: 'campaign_override' });
      expect(await rival.refusal('svc_get_playbook', { conversationId: row?.id })).to.match(
        /^Conversation ".*" was not/,
      );
    });

    it('refuses what is not found: campaign, conversation, signal agent', async () => {
      const campaignId = await campaign({ playbookOverride: 'x' });
      const missing = (label: string, id: string): RegExp => new RegExp(`^${label} "${id}" was not found\\. Call svc_`);
      expect(await user.refusal('svc_get_playbook', { campaignId: NOBODY })).to.match(missing('Campaign', NOBODY));
      expect(await rival.refusal('svc_get_playbook', { campaignId })).to.match(missing('Campaign', campaignId));
      expect(await user.refusal('svc_get_playbook', { conversationId: NOBODY })).to.match(
        missing('Conversation', NOBODY),
      );
      expect(await user.refusal('svc_get_playbook', { signalAgentId: NOBODY })).to.match(
        missing('Signal agent', NOBODY),
      );
    });
  });

  describe('svc_regenerate_playbook', () => {
    const writtenBy = async (ai?: AiWriter): Promise<{ made: Written; balance: number; again: Written }> => {
      const stage = await startMcpTools(undefined, undefined, ai ? { ai } : {});
      try {
        const somebody = await stage.as({ workspace: 'acme' });
        if (ai) await stage.grant('acme', 10);
        const input = { instructions: 'Use first names', idempotencyKey: 'one' };
        const made = await somebody.call<Written>('svc_regenerate_playbook', input);
        const again = await somebody.call<Written>('svc_regenerate_playbook', input);
        return { made, again, ...(await somebody.call<{ balance: number }>('svc_get_credit_balance')) };
      } finally {
        await stage.stop();
      }
    };

    it('without a model it costs nothing, asks for no credits, and its note stands beside the text', async () => {
      const { made, again, balance: left } = await writtenBy();
      expect(made).to.include({ version: '1', creditsSpent: 0 });
      expect(made.notes.join()).to.match(/^The built-in template writer .* no language model was used/);
      expect(made.playbook)
        .to.match(/Use first names$/)
        .and.not.contain('language model');
      expect(again).to.deep.equal(made);
      expect(left).to.equal(0);
    });

    it('a model that had no room to finish costs nothing: its text is not kept', async () => {
      const { made, again, balance: left } = await writtenBy(agreeingModel({ cut: true }));
      expect(made.creditsSpent).to.equal(0);
      expect(made.notes[0]).to.match(/had no room to finish/);
      expect(again).to.deep.equal(made);
      expect(left).to.equal(10);
    });

    it('a model writes from what is on record, and costs ten credits', async () => {
      await grant(25);
      const campaignId = await campaign({ goal: 'Thirty talks with builders' });
      await user.call('svc_create_persona', { campaignId, name: 'Head of build', painPoints: ['Slow pipelines'] });
      const made = await write({ website: 'https://acme.example', instructions: 'Use first names' });
      expect(made).to.include({ version: '1', previousVersion: null, creditsSpent: 10 });
      for (const fact of ['Thirty talks with builders', 'Slow pipelines', 'https://acme.example', 'Use first names'])
        expect(made.playbook).to.contain(fact);
      expect(made.notes).to.deep.equal([]);
      expect(await balance()).to.deep.equal([15, 0]);
      expect(await read()).to.deep.include({ playbook: made.playbook, version: '1', manuallyEdited: false });
    });

    it('too few credits: refused before any work, nothing held, nothing written', async () => {
      await grant(9);
      expect(await user.refusal('svc_regenerate_playbook')).to.equal(
        'ai_playbook needs 10 credits, 9 are available. Call svc_get_credit_balance.',
      );
      expect(await balance()).to.deep.equal([9, 0]);
      expect(await read()).to.deep.include({ playbook: null });
    });

    it('maxCredits below the price refuses before any work', async () => {
      await grant(50);
      expect(await user.refusal('svc_regenerate_playbook', { maxCredits: 9 })).to.equal(
        'ai_playbook needs 10 credits, more than maxCredits 9. Call svc_get_credit_costs.',
      );
      expect(await balance()).to.deep.equal([50, 0]);
    });

    it('another version than the expected one: refused, and the hold is given back', async () => {
      await grant(50);
      await write();
      expect(await user.refusal('svc_regenerate_playbook', { expectedVersion: 7 })).to.match(
        /^Not the expected version: the playbook is at version 1\. Call svc_get_playbook/,
      );
      expect(await balance()).to.deep.equal([40, 0]);
      expect(await write({ expectedVersion: 1 })).to.include({ version: '2', previousVersion: '1' });
    });

    it('a replay with the same key answers the first result and charges once, also in parallel; other input is refused', async () => {
      await grant(30);
      const input = { idempotencyKey: 'once', instructions: 'A' };
      const answers = await Promise.all([write(input), write(input), write(input)]);
      for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
      expect(await write(input)).to.deep.equal(answers[0]);
      expect(await user.refusal('svc_regenerate_playbook', { ...input, instructions: 'B' })).to.match(
        /^Invalid input: idempotencyKey: was used with other input/,
      );
      expect(await balance()).to.deep.equal([20, 0]);
    });

    it('without a key, the same call within a minute is the same charge; another one is not', async () => {
      await grant(30);
      expect(await write({ instructions: 'A' })).to.deep.equal(await write({ instructions: 'A' }));
      expect(await balance()).to.deep.equal([20, 0]);
      expect(await write({ instructions: 'B' })).to.include({ version: '2' });
      expect(await balance()).to.deep.equal([10, 0]);
    });
  });
});
