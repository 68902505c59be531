import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { greetingName } from '../../domain/greeting-name.ts';
import { zoneOfPlace } from '../../domain/place-zone.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, cut, shaper, type WantedDetail } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record LeadScore. */
export const leadScore = z.object({
  leadId: z.string(),
  leadName: z.string(),
  icpId: z.string(),
  icpName: z.string(),
  campaignId: z.string(),
  campaignTitle: z.string(),
  icpScore: z.number(),
  signalScore: z.number(),
  total: z.number(),
  inCampaign: z.boolean(),
  reasons: z.array(z.object({ criterion: z.string(), matched: z.boolean(), points: z.number(), evidence: z.string() })),
  computedAt: z.string(),
  stale: z.boolean(),
});

/** Where a field comes from; confidence 0 to 1, where its source told it. */
export const provenance = z.array(
  z.object({ field: z.string(), source: z.string(), at: z.string(), confidence: z.number().optional() }),
);
/** As rows keep it, by field. */
export type StoredProvenance = Record<string, { source: string; at: number; confidence?: number }>;

/** Catalog record Lead. */
export const leadRecord = z.object({
  leadId: z.string(),
  visibility: z.enum(['shared', 'private']),
  firstName: z.string(),
  lastName: z.string(),
  fullName: z.string(),
  greetingName: z.string(),
  headline: z.string(),
  title: z.string(),
  seniority: z.string(),
  company: z.string(),
  companyId: z.string().nullable(),
  industry: z.string(),
  companySize: z.string(),
  location: z.string(),
  country: z.string(),
  timezone: z.string().nullable(),
  profileUrl: z.string(),
  email: z.string().nullable(),
  emailStatus: z.string(),
  phone: z.string().nullable(),
  customFields: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  notes: z.array(z.object({ noteId: z.string(), text: z.string(), author: z.string(), at: z.string() })),
  score: leadScore.nullable(),
  suppression: z.object({ suppressed: z.boolean(), sources: z.array(z.string()) }),
  contact: z.object({
    lastContactedAt: z.string().nullable(),
    lastRepliedAt: z.string().nullable(),
    claimedBy: z.string().nullable(),
  }),
  enrichment: z.object({ status: z.string(), enrichedAt: z.string().nullable(), stale: z.boolean() }),
  provenance,
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A lead of a list: as much of it as the caller asked for. */
export const listedLead = leadRecord.partial().required({ leadId: true }).extend({
  score: leadScore.partial().nullable().optional(),
  contact: leadRecord.shape.contact.partial().optional(),
});

/** Who it is, what binds us, and the score where one is asked for. */
export const LEAD_FORM: CompactForm = {
  id: 'leadId',
  known: Object.keys(leadRecord.shape),
  kept: ['visibility', 'firstName', 'fullName', 'title', 'company', 'companyId', 'email'],
};

/** The leads of a list in the detail that was asked for. @throws UserError when a field is named that leads have not */
export function listedLeads(
  rows: readonly LeadRow[],
  wanted: WantedDetail,
  form: CompactForm = LEAD_FORM,
): z.input<typeof listedLead>[] {
  const shape = shaper(form, wanted);
  const compact = wanted.detail === 'compact' && wanted.fields === undefined;
  return rows.map((row) => {
    const lead = leadOf(row);
    const more = {
      ...scoreInShort(lead.score),
      ...(lead.suppression.suppressed ? { suppression: lead.suppression } : {}),
    };
    return { ...shape(lead), ...(compact ? more : {}), leadId: row.id };
  });
}

function scoreInShort(score: z.input<typeof leadScore> | null): Pick<z.input<typeof listedLead>, 'score'> {
  if (score === null) return {};
  const { total, icpScore, signalScore, inCampaign } = score;
  return { score: { total, icpScore, signalScore, inCampaign } };
}

interface StoredScore {
  leadName: string;
  icpId: string;
  /** Its titles, else its industries. */
  icpCriteria: string[];
  campaignId: string;
  campaignTitle: string;
  icpScore: number;
  signalScore: number;
  total: number;
  scoreMin: number;
  reasons: z.input<typeof leadScore>['reasons'];
  computedAt: number;
  stale: boolean;
}

/** A row read with LEAD_COLUMNS. */
export interface LeadRow {
  id: string;
  workspace_id: string | null;
  first_name: string;
  last_name: string;
  full_name: string;
  headline: string;
  title: string;
  seniority: string;
  company: string;
  company_id: string | null;
  industry: string;
  company_size: string;
  location: string;
  country: string;
  timezone: string | null;
  profile_url: string;
  email: string | null;
  email_status: string;
  phone: string | null;
  custom_fields: Record<string, unknown>;
  provenance: StoredProvenance;
  created_at: number;
  updated_at: number;
  enriched_at: number | null;
  /** What was read a month ago is read anew. */
  enrichment_stale: boolean | null;
  tags: string[] | null;
  notes: { noteId: string; text: string; author: string; at: number }[] | null;
  last_contacted_at: number | null;
  last_replied_at: number | null;
  sources: string[] | null;
  claimed_by: string | null;
  score: StoredScore | null;
}

/** The best score of a lead `l` where it is asked for. */
const scoreIn = (where: string): string => `select jsonb_build_object(
                'leadName', l.full_name, 'icpId', s.icp_id, 'campaignId', s.campaign_id, 'campaignTitle', c.title,
                'icpCriteria', i.titles || i.industries || i.keywords, 'icpScore', s.icp_score,
                'signalScore', s.signal_score, 'total', s.total, 'scoreMin', app.score_min(c.settings),
                'reasons', s.reasons, 'computedAt', s.computed_at, 'stale', i.scores_stale
              )
              from lead_score s
              join campaign c on c.id = s.campaign_id
              join icp i on i.id = s.icp_id and i.deleted_at is null
              where s.lead_id = l.id and ${where}
              order by s.total desc limit 1`;

/** Select list of a lead `l` as a workspace sees it. `$1`: workspace, `$2`: campaign whose best score is shown, or null; `$4`: now. */
const LEAD_COLUMNS = `l.id, l.workspace_id, l.first_name, l.last_name, l.full_name, l.headline, l.title, l.seniority, l.company, l.company_id,
  l.industry, l.company_size, l.location, l.country, l.timezone, l.profile_url, l.email, l.email_status, l.phone, l.custom_fields,
  l.provenance, l.created_at, l.updated_at, e.enriched_at, e.enriched_at < $4::bigint - 30 * 86400000::bigint as enrichment_stale, o.tags, o.notes, o.last_contacted_at, o.last_replied_at, x.sources,
  app.claimed_by($1::text, p.person_id) as claimed_by,
  (${scoreIn('s.campaign_id = $2')}) as score`;

/** Which leads are read, and for whom. */
export interface LeadsQuery {
  workspaceId: string;
  leadIds: readonly string[];
  /** Campaign whose best score is shown. */
  campaignId: string | null;
  /** Epoch ms UTC, product time: suppressions end. */
  now: number;
}

/** Reads leads in the order of their ids as they were given; those that are erased or not visible are left out. */
export async function readLeads(tx: Tx, query: LeadsQuery): Promise<LeadRow[]> {
  const { workspaceId, leadIds, campaignId, now } = query;
  if (leadIds.length === 0) return [];
  return tx.rows<LeadRow>(
    `select ${LEAD_COLUMNS}
     from unnest($3::uuid[]) with ordinality u (id, place)
     join lead l on l.id = u.id
     left join lead_overlay o on o.lead_id = l.id and o.workspace_id = $1
     cross join lateral (
       select greatest(l.enriched_at, max(f.settled_at)) as enriched_at
       from enrichment_field f
       where f.workspace_id = $1 and f.subject_id = l.id and f.state = 'found'
     ) e
     left join app.lead_persons($1, $3) p on p.lead_id = l.id
     left join (
       select s.lead_id, array_agg(distinct s.source) as sources
       from app.suppressions_of($1, $2, $3::uuid[], $4) s
       group by s.lead_id
     ) x on x.lead_id = l.id
     where l.erased_at is null and (l.workspace_id is null or l.workspace_id = $1)
     order by u.place`,
    [workspaceId, campaignId, leadIds, now],
  );
}

/** The list of what rows keep by field. */
export function provenanceOf(stored: StoredProvenance): z.input<typeof provenance> {
  return Object.entries(stored).map(([field, { at, ...entry }]) => ({ field, ...entry, at: iso(at) }));
}

/** The record of a row. */
export function leadOf(row: LeadRow): z.input<typeof leadRecord> {
  const told = provenanceOf(row.provenance);
  const derived = row.timezone === null ? zoneOfPlace(row.location, row.country) : null;
  if (derived !== null)
    told.push({ field: 'timezone', source: 'derived from location and country', at: iso(row.updated_at) });
  return {
    leadId: row.id,
    visibility: row.workspace_id === null ? 'shared' : 'private',
    firstName: row.first_name,
    lastName: row.last_name,
    fullName: row.full_name,
    greetingName: greetingName(row.first_name),
    headline: row.headline,
    title: row.title,
    seniority: row.seniority,
    company: row.company,
    companyId: row.company_id,
    industry: row.industry,
    companySize: row.company_size,
    location: row.location,
    country: row.country,
    timezone: row.timezone ?? derived,
    profileUrl: row.profile_url,
    email: row.email,
    emailStatus: row.email_status,
    phone: row.phone,
    customFields: row.custom_fields,
    tags: row.tags ?? [],
    notes: (row.notes ?? []).map((note) => ({ ...note, at: iso(note.at) })),
    score: row.score === null ? null : scoreOf(row.id, row.score),
    suppression: { suppressed: (row.sources ?? []).length > 0, sources: row.sources ?? [] },
    contact: {
      lastContactedAt: isoOrNull(row.last_contacted_at),
      lastRepliedAt: isoOrNull(row.last_replied_at),
      claimedBy: row.claimed_by,
    },
    enrichment: {
      status: row.enriched_at === null ? 'none' : 'enriched',
      enrichedAt: isoOrNull(row.enriched_at),
      stale: row.enrichment_stale ?? false,
    },
    provenance: told,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** What people call an ICP: its first criteria (titles, then industries and keywords). */
export function icpName(criteria: readonly string[]): string {
  const more = criteria.length > 3 ? ` +${criteria.length - 3}` : '';
  return cut(`${criteria.slice(0, 3).join(', ')}${more}`);
}

/** The record of a stored score. */
export function scoreOf(leadId: string, score: StoredScore): z.input<typeof leadScore> {
  const { scoreMin, computedAt, icpCriteria, ...rest } = score;
  return {
    leadId,
    ...rest,
    icpName: icpName(icpCriteria),
    inCampaign: score.total >= scoreMin,
    computedAt: iso(computedAt),
  };
}

/** The best score that a lead has in a live campaign of the workspace; null: none. */
export async function bestScore(
  tx: Tx,
  workspaceId: string,
  leadId: string,
): Promise<z.input<typeof leadScore> | null> {
  const row = await tx.row<{ score: StoredScore | null }>(
    `select (${scoreIn('s.workspace_id = $1 and c.deleted_at is null')}) as score from lead l where l.id = $2`,
    [workspaceId, leadId],
  );
  return row?.score ? scoreOf(leadId, row.score) : null;
}

/** Reads a lead as a workspace sees it. @throws UserError not found */
export async function requireLead(
  tx: Tx,
  lead: { workspaceId: string; leadId: string; campaignId?: string | null; now: number },
): Promise<LeadRow> {
  const { workspaceId, leadId, campaignId = null, now } = lead;
  const [row] = isUuid(leadId) ? await readLeads(tx, { workspaceId, leadIds: [leadId], campaignId, now }) : [];
  if (!row) throw notFound('lead', leadId);
  return row;
}
