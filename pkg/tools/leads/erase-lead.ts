import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { mailIdentity } from '../../domain/mail-identity.ts';
import { profileId } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';
import { dropQueued, type ErasedCounts, eraseLeadRows, leaveTombstone } from '../../store/erasure/erasure.ts';
import { lockLeads } from '../../store/leads/imports.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { mailParam, profileParam } from '../identity-params.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  leadId: z.string().min(1).optional(),
  email: mailParam.optional(),
  profileUrl: profileParam.optional(),
  reason: z.enum(['data_subject_request', 'client_request', 'retention']),
  keepTombstone: z.boolean().default(true),
});
type Request = z.output<typeof input>;

/** A lead as its identities need it. */
interface Found {
  id: string;
  workspace_id: string | null;
  full_name: string;
  company: string;
  email: string | null;
  profile_url: string;
  /** The workspace holds something on it; always true for a private lead. */
  held: boolean;
}

export const eraseLead = tool({
  name: 'svc_erase_lead',
  domain: 'Leads',
  title: 'Erase lead (GDPR)',
  description:
    "Erases a private lead, or this workspace's data on a shared lead, and leaves a salted-hash tombstone that blocks re-import and contact. Next: svc_search_leads.",
  example: { input: { leadId: '$otherLeadId', reason: 'data_subject_request' } },
  scope: 'leads:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    erased: z.boolean(),
    leadId: z.string().nullable(),
    recordsErased: z.record(z.string(), z.number()),
    tombstone: z.boolean(),
  }),
  async run(ctx, request) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    requireOneSubject(request);
    return ctx.tx(async (tx) => {
      await lockLeads(tx, workspaceId);
      const leads = await findSubject(tx, workspaceId, request);
      if (request.leadId !== undefined && leads.length === 0) throw notFound('lead', request.leadId);
      const [first] = leads;
      if (first && !request.keepTombstone && leads.every((lead) => !lead.held)) {
        throw wrongState(
          'The lead belongs to the shared pool and this workspace holds no data on it; erasing it from the pool itself needs a platform admin',
          'svc_admin_erase_subject',
        );
      }
      // The person is known by what contact was made with, so identities are settled before anything goes.
      await tx.exec('select count(*) from app.resolve_persons($1, $2, $3)', [
        workspaceId,
        leads.map((lead) => lead.id),
        now,
      ]);
      if (request.keepTombstone) await leaveTombstones(tx, workspaceId, request, leads, now);
      const urls = [request.profileUrl ?? '', ...leads.map((lead) => lead.profile_url)];
      const profileIds = urls.flatMap((url) => (url === '' ? [] : (profileId(url) ?? [])));
      await dropQueued(tx, workspaceId, { leadIds: leads.map((lead) => lead.id), profileIds });
      const recordsErased: ErasedCounts = {};
      for (const lead of leads) {
        const counts = await eraseLeadRows(tx, { workspaceId, leadId: lead.id, now, keep: request.keepTombstone });
        for (const [kind, count] of Object.entries(counts ?? {}))
          recordsErased[kind] = (recordsErased[kind] ?? 0) + count;
      }
      if ((recordsErased['runsCancelled'] ?? 0) > 0) await wakeWorkspace(tx, workspaceId, now, 'a person was erased');
      const erased = Object.values(recordsErased).some((count) => count > 0);
      return { erased, leadId: first?.id ?? null, recordsErased, tombstone: request.keepTombstone };
    });
  },
});

function requireOneSubject(request: Request): void {
  const given = [request.leadId, request.email, request.profileUrl].filter((one) => one !== undefined);
  if (given.length !== 1) throw invalidInput('leadId', 'exactly one of leadId, email and profileUrl is needed');
  if (request.profileUrl !== undefined && profileId(request.profileUrl) === null) {
    throw invalidInput('profileUrl', 'is no profile address');
  }
}

/** The private lead and the shared one of the subject, private first. */
async function findSubject(tx: Tx, workspaceId: string, request: Request): Promise<Found[]> {
  const { leadId, email, profileUrl } = request;
  if (leadId !== undefined && !isUuid(leadId)) return [];
  const mail = email === undefined ? null : (mailIdentity(email) ?? email.toLowerCase());
  return tx.rows<Found>(
    `select
       l.id,
       l.workspace_id,
       l.full_name,
       l.company,
       l.email,
       l.profile_url,
       l.workspace_id is not null
         or exists (select 1 from lead_overlay o where o.workspace_id = $1 and o.lead_id = l.id)
         or exists (
           select 1
           from lead_list_member m
           join lead_list t on t.id = m.lead_list_id
           where t.workspace_id = $1 and m.lead_id = l.id
         )
         or exists (select 1 from run r where r.workspace_id = $1 and r.lead_id = l.id) as held
     from lead l
     where l.erased_at is null
       and (l.workspace_id is null or l.workspace_id = $1)
       and (
         l.id = $2::uuid
         or (
           coalesce(l.workspace_id, '') in ('', $1)
           and (lower(l.email) in (lower($3), lower($4)) or l.profile_id = $5)
         )
         or l.id in (select k.lead_id from lead_match_key k where k.workspace_id = $1 and k.key = '@' || $4)
       )
     order by l.workspace_id nulls last, l.id limit 20`,
    [workspaceId, leadId ?? null, email ?? null, mail, profileUrl === undefined ? null : profileId(profileUrl)],
  );
}

/** Of every record found and of the address that was given: nobody may have stored it yet. */
async function leaveTombstones(
  tx: Tx,
  workspaceId: string,
  request: Request,
  leads: readonly Found[],
  now: number,
): Promise<void> {
  const given = { fullName: '', company: '', email: request.email ?? null, profileUrl: request.profileUrl ?? '' };
  const known = leads.map((lead) => ({
    fullName: lead.full_name,
    company: lead.company,
    email: lead.email,
    profileUrl: lead.profile_url,
  }));
  for (const person of [given, ...known])
    await leaveTombstone(tx, workspaceId, person, { reason: request.reason, now });
}

/** What is said when somebody brings an erased person back. */
export function erasedError(): UserError {
  return new UserError(
    'This person was erased and may not be entered again. Call svc_search_leads for others.',
    'Erased',
  );
}
