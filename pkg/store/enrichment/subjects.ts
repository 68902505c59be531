import type { KnownFields } from '../../domain/enrichment/enrich-fields.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { Tx } from '../../postgres/database.ts';
import { readKnownFields } from './attempts.ts';

/** A lead as providers are told of it; null: it is not there any more. */
export async function contactToAsk(tx: Tx, workspaceId: string, leadId: string): Promise<OutsideContact | null> {
  const row = await tx.row<OutsideContact>(
    `select
       id as "leadId", first_name as "firstName", last_name as "lastName", full_name as "fullName", title, company,
       email, profile_url as "profileUrl", country
     from lead
     where id = $2 and erased_at is null and (workspace_id is null or workspace_id = $1)`,
    [workspaceId, leadId],
  );
  return row ?? null;
}

/** A company as providers are asked for it; null: it is not there any more. */
export async function companyToAsk(
  tx: Tx,
  workspaceId: string,
  companyId: string,
): Promise<{ name: string; domain: string } | null> {
  const row = await tx.row<{ name: string; domain: string }>(
    'select name, domain from company where id = $2 and (workspace_id is null or workspace_id = $1)',
    [workspaceId, companyId],
  );
  return row ?? null;
}

/** A lead that is named for enrichment. */
export interface LeadToEnrich {
  leadId: string;
  known: KnownFields;
  /** Nobody may be told of them. */
  suppressed: boolean;
}

/** Those of the leads that the workspace sees. @param now epoch ms, product time: exclusions end */
export async function leadsToEnrich(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
  now: number,
): Promise<LeadToEnrich[]> {
  const rows = await tx.rows<{ leadId: string; suppressed: boolean }>(
    `select l.id as "leadId", s.lead_id is not null as suppressed
     from lead l
     left join app.suppressed_leads($1, null, $2::uuid[], $3) s on s.lead_id = l.id
     where l.id = any ($2::uuid[]) and l.erased_at is null and (l.workspace_id is null or l.workspace_id = $1)`,
    [workspaceId, leadIds, now],
  );
  const known = new Map((await readKnownFields(tx, leadIds)).map((row) => [row.leadId, row.enriched]));
  return rows.map((row) => ({ ...row, known: known.get(row.leadId) ?? {} }));
}

/** The company at a domain that the workspace sees; its own stands before the shared one. */
export async function companyAtDomain(tx: Tx, workspaceId: string, domain: string): Promise<string | null> {
  const row = await tx.row<{ id: string }>(
    `select id from company where coalesce(workspace_id, '') in ('', $1) and domain = $2
     order by workspace_id nulls last limit 1`,
    [workspaceId, domain],
  );
  return row?.id ?? null;
}
