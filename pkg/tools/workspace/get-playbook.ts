import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { agentPlaybook } from '../../store/playbooks/agent-playbook.ts';
import { readPlaybookHistory, readPlaybookVersion } from '../../store/playbooks/playbook.ts';
import { resolveFor } from '../../store/playbooks/resolve-playbook.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { notFound } from '../errors.ts';
import { requireConversation } from '../inbox/conversation-row.ts';
import { requireAgent } from '../signal-agents/agent-row.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { noVersion } from './no-version.ts';
import { resolvedOf, resolvedPlaybook } from './resolved-playbook.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  campaignId: z.string().min(1).optional(),
  signalAgentId: z.string().min(1).optional(),
  conversationId: z.string().min(1).optional(),
  version: z.int().min(1).optional().describe('Of the history.'),
});

/** A version of the history, the newest first; svc_update_workspace restores it by its number. */
const playbookEntry = z.object({
  version: z.string(),
  source: z.enum(['manual', 'generated']),
  writer: z.string(),
  createdBy: z.string(),
  createdAt: z.string(),
  length: z.number(),
});

export const getPlaybook = tool({
  name: 'svc_get_playbook',
  domain: 'Workspace',
  title: 'Get playbook',
  description:
    'Reads the workspace playbook and, for a campaign, agent or conversation, the one text that would be used and why. Next: svc_update_campaign or svc_regenerate_playbook.',
  example: { input: { campaignId: '$campaignId' } },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    playbook: z.string().nullable(),
    version: z.string().nullable(),
    manuallyEdited: z.boolean(),
    history: z.array(playbookEntry),
    resolved: resolvedPlaybook,
  }),
  async run(ctx, asked) {
    return ctx.tx(async (tx) => {
      const { campaignId, agentId } = await handlerOf(tx, ctx.workspaceId, asked);
      const agent = agentId === null ? null : await agentPlaybook(tx, agentId);
      const { stored, resolved } = await resolveFor(tx, ctx.workspaceId, campaignId, agent);
      const shown =
        asked.version === undefined ? stored : await readPlaybookVersion(tx, ctx.workspaceId, asked.version);
      if (asked.version !== undefined && !shown) throw noVersion('version', asked.version);
      const history = await readPlaybookHistory(tx, ctx.workspaceId);
      return {
        playbook: shown?.text || null,
        version: shown ? String(shown.version) : null,
        manuallyEdited: shown?.source === 'manual',
        history: history.map((entry) => ({
          ...entry,
          version: String(entry.version),
          createdAt: iso(entry.createdAt),
        })),
        resolved: resolvedOf(resolved),
      };
    });
  },
});

/** What handles it: the campaign and the agent that are given, or those of the conversation. @throws UserError not found */
async function handlerOf(
  tx: Tx,
  workspaceId: string,
  asked: z.output<typeof input>,
): Promise<{ campaignId: string | null; agentId: string | null }> {
  const agent = asked.signalAgentId === undefined ? undefined : await requireAgent(tx, asked.signalAgentId);
  if (agent && agent.workspaceId !== workspaceId) throw notFound('signalAgent', agent.id);
  const named = asked.campaignId === undefined ? null : (await requireCampaign(tx, asked.campaignId)).id;
  if (asked.conversationId === undefined) return { campaignId: named, agentId: agent?.id ?? null };
  const conversation = await requireConversation(tx, asked.conversationId);
  return { campaignId: named ?? conversation.campaign_id, agentId: agent?.id ?? conversation.agent_id };
}
