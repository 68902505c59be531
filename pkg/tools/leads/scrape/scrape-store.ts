import type { Tx } from '../../../postgres/database.ts';
import type { PublicProfile } from '../../../providers/network/network-provider.ts';
import { erasedAmong } from '../../../store/erasure/erasure.ts';
import type { BackgroundJob } from '../../../store/jobs/background-jobs.ts';
import {
  addMembers,
  attachToCampaign,
  type ImportLead,
  keepMatchKeys,
  lockLeads,
  markEnriched,
  mergeLeads,
} from '../../../store/leads/imports.ts';
import { closeItems, keepPublicProfiles, type ScrapeItem, stillOpen } from '../../../store/leads/lead-scrapes.ts';
import type { JobContext } from '../../jobs/job-step.ts';
import { leadOfProfile } from '../lead-of-profile.ts';
import type { ScrapeWork } from './scrape-work.ts';

/** What came of a profile. */
export interface ReadItem {
  item: ScrapeItem;
  state: 'found' | 'not_found' | 'failed';
  profile: PublicProfile | null;
}

type Found = { item: ScrapeItem; lead: ImportLead & { profileId: string } };

/** Keeps what was read and closes the items. @returns where the job stands after it */
export async function storeProfiles(
  tx: Tx,
  context: Pick<JobContext, 'ids'>,
  { job, work, read, now }: { job: BackgroundJob; work: ScrapeWork; read: readonly ReadItem[]; now: number },
): Promise<ScrapeWork> {
  await lockLeads(tx, job.workspaceId);
  const found = await withoutErased(
    tx,
    job,
    read.flatMap((one) => foundOf(one, context)),
  );
  const kept = new Set(found.map((one) => one.item.place));
  const missing = read.filter((one) => one.state === 'not_found').map((one) => one.item.place);
  const failed = read
    .filter((one) => !kept.has(one.item.place) && one.state !== 'not_found')
    .map((one) => one.item.place);
  const leadIds = await keepLeads(tx, job.workspaceId, found, now);
  if (work.leadListId !== null) await addMembers(tx, job.workspaceId, work.leadListId, leadIds, now);
  if (work.campaignId !== null) await attachToCampaign(tx, job.workspaceId, work.campaignId, leadIds, now);
  await closeItems(tx, job.id, [...kept], 'found');
  await closeItems(tx, job.id, missing, 'not_found');
  await closeItems(tx, job.id, failed, 'failed');
  return {
    ...work,
    found: work.found + found.length,
    notFound: work.notFound + missing.length,
    failed: work.failed + failed.length,
  };
}

function foundOf({ item, profile }: ReadItem, { ids }: Pick<JobContext, 'ids'>): Found[] {
  if (!profile) return [];
  // The profile may have moved to another address; we keep the one that was asked for.
  const result = leadOfProfile({ ...profile, publicId: item.asked }, item.place, ids.uuid());
  return 'lead' in result ? [{ item, lead: result.lead }] : [];
}

/** Who was erased while their profile was read stays so. */
async function withoutErased(tx: Tx, job: BackgroundJob, found: readonly Found[]): Promise<Found[]> {
  const places = found.map(({ item }) => item.place);
  const open = await stillOpen(tx, job.id, places);
  const leads = found.map(({ lead }) => lead);
  const erased = await erasedAmong(tx, job.workspaceId, leads);
  return found.filter(({ item, lead }) => open.has(item.place) && !erased.has(lead));
}

/** A private lead that asked stays private; everything else is the pool's. Hand edits win. @returns ids of the leads */
async function keepLeads(tx: Tx, workspaceId: string, found: readonly Found[], now: number): Promise<string[]> {
  const own = found.flatMap(({ item, lead }) => (item.leadId === null ? [] : [{ ...lead, id: item.leadId }]));
  const pool = await keepPublicProfiles(
    tx,
    found.filter(({ item }) => item.leadId === null).map(({ lead }) => lead),
    now,
  );
  const ids = own.map((lead) => lead.id);
  if (own.length > 0) {
    await mergeLeads(tx, workspaceId, own, 'overwrite', 'network', now);
    await keepMatchKeys(tx, workspaceId, own);
    await markEnriched(tx, ids, now);
    await tx.exec('select app.link_companies($1, $2)', [ids, now]);
    await tx.exec('select count(*) from app.resolve_persons($1, $2, $3)', [workspaceId, ids, now]);
  }
  return [...ids, ...pool.values()];
}
