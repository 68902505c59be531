import { z } from 'zod';
import { type ResolvedPlaybook, resolvePlaybook } from '../../domain/playbook.ts';
import type { Tx } from '../../postgres/database.ts';
import type { HandlingAgent } from '../../store/playbooks/agent-playbook.ts';
import { type PlaybookVersion, readPlaybook } from '../../store/playbooks/playbook.ts';

/** Catalog record ResolvedPlaybook, with the reason of the choice. */
export const resolvedPlaybook = z.object({
  text: z.string().nullable(),
  source: z.enum(['signal_agent', 'workspace', 'workspace_and_campaign', 'campaign_override', 'none']),
  parts: z.array(z.object({ kind: z.string(), id: z.string(), version: z.string() })),
  reason: z.string(),
});

/** The record of a resolved text. */
export function resolvedOf(resolved: ResolvedPlaybook): z.input<typeof resolvedPlaybook> {
  return { ...resolved, parts: resolved.parts.map((part) => ({ ...part })) };
}

/** The text that would be used in this workspace now, for a campaign or outside of one, by a signal agent or not. */
export async function resolveFor(
  tx: Tx,
  workspaceId: string,
  campaignId: string | null,
  signalAgent: HandlingAgent | null,
): Promise<{ stored: PlaybookVersion | undefined; resolved: ResolvedPlaybook }> {
  const stored = await readPlaybook(tx, workspaceId);
  const campaign =
    campaignId === null
      ? undefined
      : await tx.row<{ text: string | null; generation: number }>(
          `select settings ->> 'playbookOverride' as text, generation
           from campaign
           where id = $1 and workspace_id = $2 and deleted_at is null`,
          [campaignId, workspaceId],
        );
  const resolved = resolvePlaybook({
    workspace: stored ? { id: workspaceId, version: String(stored.version), text: stored.text } : null,
    campaignOverride:
      campaignId !== null && campaign?.text
        ? { id: campaignId, version: String(campaign.generation), text: campaign.text }
        : null,
    signalAgent,
  });
  return { stored, resolved };
}
