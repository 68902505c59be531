import { type ResolvedPlaybook, resolvePlaybook } from '../../domain/playbook.ts';
import type { Tx } from '../../postgres/database.ts';
import type { HandlingAgent } from './agent-playbook.ts';
import { type PlaybookVersion, readPlaybook } from './playbook.ts';

/** The text that applies in a workspace now, for a campaign or outside of one, by a signal agent or not; and the stored one. */
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

/** The versions that a resolved text is made of, in the order of its parts; '' for none. */
export function versionOf({ parts }: ResolvedPlaybook): string {
  return parts.map(({ version }) => version).join('+');
}
