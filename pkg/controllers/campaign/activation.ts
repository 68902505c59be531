import { objectRef } from '../../api/object.ts';
import { findCondition } from '../../kube/conditions.ts';
import { type OutriderObject, RESOURCES } from '../../tools/resources/kinds.ts';
import { releaseFields } from '../../tools/resources/release-field.ts';
import { claimants } from '../../tools/resources/unclaimed-fields.ts';
import { TOOLS_MANAGER } from '../../tools/resources/write-context.ts';
import type { OperatorContext } from '../context.ts';
import { FIELD_MANAGER } from '../names.ts';
import { type Conditioned, conditionsIn } from '../object-conditions.ts';
import type { OwnCondition } from '../readiness.ts';
import { tell } from '../show-status.ts';

interface Activation {
  id: string;
  /** In force. */
  state: string;
  /** What the spec says. */
  specState: string | null;
}

const FIELD = 'spec.state';
const ACTIVATED = 'A workflow of it was enabled, which activated it.';

/**
 * The condition Active of a campaign. Enabling a workflow activates a draft: the spec is brought to say so, once per
 * generation, as the tool does that enables one; where its field is another manager's, the condition says that it stays.
 */
export async function showActivation(
  context: OperatorContext,
  object: Conditioned,
  activation: Activation,
): Promise<OwnCondition> {
  const { state, specState } = activation;
  if (state !== 'active')
    return {
      type: 'Active',
      status: 'False',
      reason: 'StateBySpec',
      message: `It is ${state}: its workflows do nothing.`,
    };
  const before = findCondition(conditionsIn(object), 'Active');
  const known = before?.status === 'True' && before.reason === 'ActivatedByWorkflow' ? before : undefined;
  const activated = (message: string): OwnCondition => ({
    type: 'Active',
    status: 'True',
    reason: 'ActivatedByWorkflow',
    message,
  });
  if (specState !== 'draft')
    return known
      ? activated(ACTIVATED)
      : { type: 'Active', status: 'True', reason: 'StateBySpec', message: 'spec.state is active.' };
  if (known && known.observedGeneration === object.metadata.generation) return activated(known.message);
  const refusal = await sayActive(context, activation.id);
  const message = refusal === null ? ACTIVATED : `${ACTIVATED} spec.state stays draft. ${refusal}`;
  const workflow = await enabledWorkflow(context, activation.id);
  tell(context, object, 'Activated', workflow ? `${message} It was "${workflow}".` : message);
  return activated(message);
}

/**
 * Writes `spec.state`, and leaves it to nobody: a manifest and a tool may say it next. @returns why it stays as it is, or null
 */
async function sayActive({ client, homeNamespace }: OperatorContext, id: string): Promise<string | null> {
  const ref = objectRef(id, homeNamespace);
  const live = await client.find<OutriderObject>(RESOURCES.Campaign, ref);
  // Meanwhile somebody may have paused it, or deleted it.
  if (!live || live.metadata.deletionTimestamp || (live.spec as { state?: string }).state !== 'draft') return null;
  const claimed = claimants('Campaign', live, FIELD, TOOLS_MANAGER);
  if (claimed.length > 0) return `It is managed by "${claimed.join('", "')}"; change it there.`;
  const { resourceVersion, uid } = live.metadata;
  const patch = { metadata: { resourceVersion, uid }, spec: { state: 'active' } };
  await client.mergePatch(RESOURCES.Campaign, ref, patch, { fieldManager: FIELD_MANAGER });
  await releaseFields(client, 'Campaign', ref, [FIELD]);
  return null;
}

async function enabledWorkflow({ db }: OperatorContext, campaignId: string): Promise<string | undefined> {
  const row = await db.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ id: string }>(
      'select id from workflow where campaign_id = $1 and enabled and deleted_at is null order by id limit 1',
      [campaignId],
    ),
  );
  return row?.id;
}
