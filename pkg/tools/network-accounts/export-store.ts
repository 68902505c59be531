import { profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import type { NetworkRelation, Page } from '../../providers/network/network-provider.ts';
import { erasedAmong } from '../../store/erasure/erasure.ts';
import { recordAcceptance } from '../../store/inbox/inbox.ts';
import type { BackgroundJob } from '../../store/jobs/background-jobs.ts';
import { MOST_ERRORS } from '../../store/leads/import-records.ts';
import { addMembers, findExisting, type ImportLead, lockLeads } from '../../store/leads/imports.ts';
import { refreshLists } from '../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { countSuppressed } from '../../store/suppression/count-suppressed.ts';
import type { JobContext } from '../jobs/job-step.ts';
import { withoutCell } from '../leads/csv/lead-of-row.ts';
import { type ImportPlan, planImport } from '../leads/csv/plan-import.ts';
import { storePlan } from '../leads/csv/store-plan.ts';
import { leadOfProfile } from '../leads/lead-of-profile.ts';
import type { ExportWork } from './export-work.ts';

interface ExportPage {
  job: BackgroundJob;
  work: ExportWork;
  page: Page<NetworkRelation>;
  now: number;
}

const ERASED = 'this person was erased and is not exported again';

/**
 * Stores a page of connections as private leads in the list.
 * @returns where the export stands after it, and how many of the page the held credits did not pay for
 */
export async function storeConnections(
  tx: Tx,
  context: Pick<JobContext, 'ids'>,
  { job, work, page, now }: ExportPage,
): Promise<{ next: ExportWork; unpaid: number }> {
  const { workspaceId } = job;
  const read = page.items.map(({ name, headline, publicId }, index) =>
    leadOfProfile({ publicId: publicId ?? '', fullName: name, headline }, work.total + index + 1, context.ids.uuid()),
  );
  const problems = read.flatMap((one) => ('lead' in one ? [] : [withoutCell(one)]));
  const leads = read.flatMap((one) => ('lead' in one ? [one.lead] : []));
  await lockLeads(tx, workspaceId);
  const erased = await erasedAmong(tx, workspaceId, leads);
  const rows = leads.filter((lead) => !erased.has(lead));
  const whole = planImport(rows, await findExisting(tx, workspaceId, rows), 'fill_empty');
  const plan = paidPart(whole, work);
  await storePlan(
    tx,
    { ...whole, ...plan },
    { workspaceId, onDuplicate: 'fill_empty', source: 'network', now, progress: () => undefined },
  );
  const known = work.incremental ? whole.merge : plan.merge;
  const leadIds = [...plan.create, ...known].map((lead) => lead.id);
  await addMembers(tx, workspaceId, work.leadListId, leadIds, now);
  await noteConnections(tx, job, page.items, leadIds, now);
  const charged = plan.create.length + plan.merge.length;
  const refused = [
    ...problems,
    ...[...erased].map((lead) => ({ row: lead.line, field: null, message: ERASED })),
    ...whole.problems,
  ];
  const next = {
    ...work,
    cursor: page.cursor,
    pages: work.pages + 1,
    total: work.total + page.items.length,
    created: work.created + plan.create.length,
    updated: work.updated + plan.merge.length,
    skipped: work.skipped + page.items.length - charged - problems.length,
    failed: work.failed + problems.length,
    suppressed: work.suppressed + (await countSuppressed(tx, { workspaceId, campaignId: null, leadIds, now })),
    errors: [...work.errors, ...refused].slice(0, MOST_ERRORS),
  };
  return { next, unpaid: whole.create.length + (work.incremental ? 0 : whole.merge.length) - charged };
}

/** What the held credits still pay for; an incremental export leaves leads that are there as they are. */
function paidPart(plan: ImportPlan, work: ExportWork): { create: ImportLead[]; merge: ImportLead[] } {
  const left = Math.max(0, work.paidFor - work.created - work.updated);
  const create = plan.create.slice(0, left);
  return { create, merge: work.incremental ? [] : plan.merge.slice(0, left - create.length) };
}

/** What the provider calls connected is connected: runs of these people need no request. */
async function noteConnections(
  tx: Tx,
  job: BackgroundJob,
  relations: readonly NetworkRelation[],
  leadIds: readonly string[],
  now: number,
): Promise<void> {
  const persons = await tx.rows<{ profile: string; person: string }>(
    `select l.profile_id as profile, p.person_id as person
     from lead l
     join app.lead_persons($2, $1) p on p.lead_id = l.id
     where l.id = any ($1) and l.profile_id is not null
     order by p.person_id`,
    [leadIds, job.workspaceId],
  );
  const byProfile = new Map(relations.map((relation) => [profileId(relation.publicId ?? '') ?? '', relation]));
  for (const { profile, person } of persons) {
    const relation = byProfile.get(profile);
    if (!relation) continue;
    const { providerId, connectedAt } = relation;
    await recordAcceptance(tx, {
      now,
      accountId: job.accountId ?? '',
      personId: person,
      providerId,
      at: connectedAt ?? now,
    });
  }
}

/** What follows from new leads, once at the end. */
export async function finishExport(tx: Tx, workspaceId: string, now: number): Promise<void> {
  await refreshLists(tx, workspaceId, now);
  await markScoresStale(tx, workspaceId);
  await wakeIfWorking(tx, workspaceId, now, 'connections exported');
}
