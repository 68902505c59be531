import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import type { CrmList } from '../../providers/crm/crm-lists.ts';
import { keepSyncSchedule } from '../../store/integrations/crm-sync-schedules.ts';
import { keepProviderList } from '../../store/integrations/provider-lists.ts';
import { queueJob, statusOfJob } from '../../store/jobs/background-jobs.ts';
import { beginImport } from '../../store/leads/import-records.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { beginJob } from '../jobs/run-job.ts';
import { naturalKeyParam } from '../key-params.ts';
import { requireList } from '../lead-lists/list-row.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { asked, requireCrm, requireIntegration, shownList } from './crm/crm-record.ts';
import { importWork } from './crm/crm-work.ts';
import { parseMapping } from './crm/field-map.ts';
import { importListHandler } from './crm/import-handler.ts';

/** Pages imported before the call answers; a server goes on with what is left. */
const PAGES_AT_ONCE = 2;

const input = z.strictObject({
  integrationId: z.string().min(1),
  providerListId: z.string().min(1),
  leadListId: z.string().min(1).optional(),
  campaignId: z.string().min(1).optional(),
  mapping: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Property there -> lead field or customFields.<name>; known properties are mapped by themselves.'),
  onDuplicate: z.enum(['skip', 'fill_empty', 'overwrite']).default('fill_empty'),
  keepInSync: z.boolean().default(false).describe('Compare again every hour, and take over who comes and changes.'),
  removeFromList: z
    .boolean()
    .default(false)
    .describe('With keepInSync: who leaves it there leaves leadListId; the lead and its runs stay.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;

export const importProviderList = tool({
  name: 'svc_import_provider_list',
  domain: 'Integrations',
  title: 'Import provider list',
  description:
    "Imports a provider's list as private leads, in the background, with de-duplication and suppression. Next: svc_get_import_progress.",
  example: { input: { integrationId: '$crmId', providerListId: '1' }, other: { keepInSync: true } },
  scope: 'integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'record',
  input,
  output: z.object({ importId: z.string(), status: z.string() }),
  async run(ctx, request) {
    const { integrationId, providerListId } = request;
    const mapping = parseMapping('mapping', request.mapping ?? {});
    const { workspaceId } = await requireIntegration(ctx, integrationId);
    const { crm, access } = await requireCrm(ctx, integrationId);
    const find = (): Promise<CrmList | null> => crm.lists.find(access, providerListId, ctx.signal);
    const found = await asked(ctx, integrationId, find, true);
    if (!found) throw notFound('providerList', providerListId);
    const list = shownList(found);
    const queued = await ctx.repeatable<Answer>(workspaceId, {
      // What failed is imported anew.
      work: async (tx, earlier) =>
        earlier && (await statusOfJob(tx, earlier.importId)) !== 'failed'
          ? earlier
          : queue(ctx, tx, { workspaceId, request, list, mapping }),
      did: () => true,
    });
    const status = await beginJob({ ...ctx, tx: ctx.unrecorded }, queued.importId, PAGES_AT_ONCE);
    // Under a key every answer is the first one, to the byte; how the job stands now is svc_get_import_progress.
    return request.idempotencyKey === undefined ? { ...queued, status } : queued;
  },
});

interface Answer {
  importId: string;
  status: string;
}

interface Queued {
  workspaceId: string;
  request: Request;
  list: CrmList;
  mapping: ReturnType<typeof parseMapping>;
}

/** Everything that the import needs, in one transaction: a refusal leaves nothing behind. */
async function queue(ctx: ToolContext, tx: Tx, { workspaceId, request, list, mapping }: Queued): Promise<Answer> {
  const { integrationId, keepInSync, onDuplicate, removeFromList } = request;
  const now = ctx.clocks.product.now();
  const target = await targetsOf(tx, workspaceId, request);
  if (removeFromList && (!keepInSync || target.leadListId === null))
    throw invalidInput('removeFromList', 'needs keepInSync and a leadListId to leave');
  const listId = await keepProviderList(
    tx,
    {
      id: ctx.ids.uuid(),
      workspaceId,
      integrationId,
      externalId: list.id,
      name: list.name,
      ...target,
      mapping,
      onDuplicate,
      keepInSync,
      removeFromList,
    },
    now,
  );
  if (keepInSync) await keepSyncSchedule(tx, { id: ctx.ids.uuid(), workspaceId, integrationId, now });
  const importId = ctx.ids.uuid();
  const { keyId } = ctx.caller;
  const record = { id: importId, workspaceId, keyId, now };
  await beginImport(tx, { ...record, kind: 'provider_list', sourceNote: `list ${list.name}` });
  const work = importWork.parse({ integrationId, listId });
  await queueJob(tx, {
    id: importId,
    workspaceId,
    kind: importListHandler.kind,
    accountId: null,
    holdId: null,
    work,
    now,
  });
  return { importId, status: 'running' };
}

/** @throws UserError for a list or campaign that is not there, or of another workspace, and for a list that takes nobody */
async function targetsOf(
  tx: Tx,
  workspaceId: string,
  { leadListId, campaignId }: Request,
): Promise<{ leadListId: string | null; campaignId: string | null }> {
  const list = leadListId === undefined ? undefined : await requireList(tx, leadListId);
  if (list && list.workspace_id !== workspaceId) throw notFound('leadList', list.id);
  const campaign = campaignId === undefined ? undefined : await requireCampaign(tx, campaignId);
  if (campaign && campaign.workspace_id !== workspaceId) throw notFound('campaign', campaign.id);
  if (list?.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
  return { leadListId: list?.id ?? null, campaignId: campaign?.id ?? null };
}
