import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, telling } from '../compact.ts';
import { notFound } from '../errors.ts';
import { provenance, provenanceOf, type StoredProvenance } from '../records/lead.ts';
import { type SignalRow, signalOf, signalRecord } from '../signals/signal-row.ts';
import { isoOrNull } from '../times.ts';

/** Catalog record CompanyContactState. */
export const companyContact = z.object({
  leadsKnown: z.number(),
  leadsContacted: z.number(),
  lastContactedAt: z.string().nullable(),
  lastBy: z.object({ networkAccountId: z.string(), campaignId: z.string() }).nullable(),
  repliedLeads: z.number(),
  stopForCompany: z.boolean(),
});
export type ContactRecord = z.input<typeof companyContact>;

/** Catalog record Company. */
export const companyRecord = z.object({
  companyId: z.string(),
  name: z.string(),
  domain: z.string(),
  website: z.string(),
  industry: z.string(),
  companySize: z.string(),
  headcount: z.number().nullable(),
  headcountGrowthPct: z.number().nullable(),
  location: z.string(),
  fundingStage: z.string(),
  lastFundingAt: z.string().nullable(),
  technologies: z.array(z.string()),
  profileUrl: z.string(),
  signals: z.array(signalRecord),
  contact: companyContact,
  enrichedAt: z.string().nullable(),
  provenance,
});

/** A company of a list: as much of it as the caller asked for. */
export const listedCompany = companyRecord
  .partial()
  .required({ companyId: true })
  .extend({ contact: companyContact.partial().optional() });

/** Which company it is, and whether it was approached. */
export const COMPANY_FORM: CompactForm = {
  id: 'companyId',
  known: Object.keys(companyRecord.shape),
  kept: ['name', 'domain', 'industry', 'companySize', 'headcount', 'location', 'fundingStage', 'contact'],
  short: { contact: shortContact },
};

/** Nobody contacted is nothing to tell. */
function shortContact({ lastBy: _, ...contact }: ContactRecord): object {
  const { stopForCompany, ...counts } = contact;
  return { ...telling(counts), ...(stopForCompany ? { stopForCompany } : {}) };
}

/** A row of `company`. */
export interface CompanyRow {
  id: string;
  workspace_id: string | null;
  name: string;
  domain: string;
  website: string;
  industry: string;
  company_size: string;
  headcount: number | null;
  headcount_growth_pct: number | null;
  location: string;
  funding_stage: string;
  last_funding_at: number | null;
  technologies: string[];
  profile_url: string;
  enriched_at: number | null;
  provenance: StoredProvenance;
}

/** The record of a row. @param signals live ones, newest first */
export function companyOf(
  row: CompanyRow,
  contact: ContactRecord,
  signals: z.input<typeof signalRecord>[],
): z.input<typeof companyRecord> {
  return {
    companyId: row.id,
    name: row.name,
    domain: row.domain,
    website: row.website,
    industry: row.industry,
    companySize: row.company_size,
    headcount: row.headcount,
    headcountGrowthPct: row.headcount_growth_pct,
    location: row.location,
    fundingStage: row.funding_stage,
    lastFundingAt: isoOrNull(row.last_funding_at),
    technologies: row.technologies,
    profileUrl: row.profile_url,
    signals,
    contact,
    enrichedAt: isoOrNull(row.enriched_at),
    provenance: provenanceOf(row.provenance),
  };
}

/** Reads a shared company, or one of the workspace's own. @throws UserError not found */
export async function requireCompany(tx: Tx, workspaceId: string, companyId: string): Promise<CompanyRow> {
  const row = isUuid(companyId)
    ? await tx.row<CompanyRow>('select * from company where id = $1 and (workspace_id is null or workspace_id = $2)', [
        companyId,
        workspaceId,
      ])
    : undefined;
  if (!row) throw notFound('company', companyId);
  return row;
}

/** Live signals that a company's record carries. */
const MOST_SIGNALS = 10;

/** The live signals of each company, newest first. @param now epoch ms UTC, product time */
export async function liveSignals(
  tx: Tx,
  { workspaceId, companyIds, now }: { workspaceId: string; companyIds: readonly string[]; now: number },
): Promise<Map<string, z.input<typeof signalRecord>[]>> {
  const rows = await tx.rows<SignalRow & { company_id: string }>(
    `select s.*
     from unnest($1::uuid[]) c (id)
     cross join lateral (
       select *
       from signal x
       where x.company_id = c.id
         and x.expires_at > $3
         and (x.workspace_id is null or x.workspace_id = $2)
       order by x.occurred_at desc limit ${MOST_SIGNALS}
     ) s`,
    [companyIds, workspaceId, now],
  );
  const found = new Map<string, z.input<typeof signalRecord>[]>();
  for (const row of rows) found.set(row.company_id, [...(found.get(row.company_id) ?? []), signalOf(row, now)]);
  return found;
}
