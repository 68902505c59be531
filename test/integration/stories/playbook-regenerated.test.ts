import { expect } from 'chai';
import { agreeingModel } from '../../fixtures/agreeing-model.ts';
import { openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

interface Playbook {
  playbook: string;
  version: string;
  manuallyEdited: boolean;
  resolved: { text: string; source: string; parts: { kind: string; version: string }[] };
}

describe('story: the playbook is regenerated over manual edits', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let initech: ToolUser;
  before(async () => {
    tools = await startMcpTools(undefined, undefined, { ai: agreeingModel() });
    const admin = await platformAdmin(tools);
    const { workspaceId, owner } = await openWorkspace(tools, admin, 'initech', { initialCredits: 25 });
    initech = await withKeyOf(tools, owner, workspaceId);
  });
  after(() => tools.stop());

  it('edits by hand are overwritten whole, stay in the history, and campaigns follow at once', async () => {
    const read = (input: object = {}): Promise<Playbook> => initech.call<Playbook>('svc_get_playbook', input);
    const { campaignId } = await initech.call<{ campaignId: string }>('svc_create_campaign', {
      title: 'Spring',
      goal: 'Ten talks',
    });
    await initech.call('svc_update_campaign', { campaignId, playbookOverride: 'Mention the fair' });
    const first = await initech.call<Playbook>('svc_regenerate_playbook', { idempotencyKey: 'first' });

    // An edit by hand.
    const edited = `${first.playbook}\n\nNever write on Fridays.`;
    await initech.call('svc_update_workspace', { playbook: edited });
    expect(await read()).to.deep.include({ playbook: edited, version: '2', manuallyEdited: true });
    expect((await read({ campaignId })).resolved.text).to.match(
      /Never write on Fridays\.\n\nAdditional instructions for this campaign:\nMention the fair$/,
    );

    // Somebody who read version 1 is told; who read version 2 overwrites it.
    expect(await initech.refusal('svc_regenerate_playbook', { expectedVersion: 1 })).to.match(
      /is at version 2\. Call svc_get_playbook/,
    );
    const again = await initech.call<Playbook & { previousVersion: string }>('svc_regenerate_playbook', {
      expectedVersion: 2,
      instructions: 'Use first names',
      idempotencyKey: 'second',
    });
    expect(again).to.include({ version: '3', previousVersion: '2' });
    expect(again.playbook).to.contain('Use first names').and.not.contain('Fridays');
    expect(await read()).to.deep.include({ version: '3', manuallyEdited: false });
    const { resolved } = await read({ campaignId });
    expect(resolved.parts.map((part) => [part.kind, part.version])).to.deep.equal([
      ['workspace', '3'],
      ['campaign_override', '2'],
    ]);

    // No tool shows older versions; that the text is kept is read past the tools.
    const history = await tools.rows<{ text: string }>(`select text from playbook where version = 2`);
    expect(history).to.deep.equal([{ text: edited }]);
    expect(await initech.call('svc_get_credit_balance')).to.include({ balance: 5, held: 0 });
    expect(await initech.refusal('svc_regenerate_playbook', {})).to.equal(
      'ai_playbook needs 10 credits, 5 are available. Call svc_get_credit_balance.',
    );
  });
});
