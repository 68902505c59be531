import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { notFound } from '../errors.ts';
import { requireConversation } from '../inbox/conversation-row.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { resolvedOf, resolvedPlaybook, resolveFor } from './resolved-playbook.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  campaignId: z.string().min(1).optional(),
  signalAgentId: z.string().min(1).optional(),
  conversationId: z.string().min(1).optional(),
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
    resolved: resolvedPlaybook,
  }),
  async run(ctx, asked) {
    return ctx.tx(async (tx) => {
      const campaignId = await campaignOf(tx, asked);
      const { stored, resolved } = await resolveFor(tx, ctx.workspaceId, campaignId);
      return {
        playbook: stored?.text || null,
        version: stored ? String(stored.version) : null,
        manuallyEdited: stored?.source === 'manual',
        resolved: resolvedOf(resolved),
      };
    });
  },
});

/** The campaign whose override counts: the given one, or the one that handles the conversation. */
async function campaignOf(tx: Tx, asked: z.output<typeof input>): Promise<string | null> {
  // Signal agents come with their own domain; until then there is none that could be found.
  if (asked.signalAgentId !== undefined) throw notFound('signalAgent', asked.signalAgentId);
  const named = asked.campaignId === undefined ? null : (await requireCampaign(tx, asked.campaignId)).id;
  if (asked.conversationId === undefined) return named;
  const conversation = await requireConversation(tx, asked.conversationId);
  return named ?? conversation.campaign_id;
}
