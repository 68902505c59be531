import { renderTemplate, type TemplateLead } from '../../domain/template.ts';
import type { Tx } from '../../postgres/database.ts';

/** Fields that svc_upsert_lead does not take: a file brings them. */
const BY_FILE: ReadonlySet<string> = new Set(['lead:headline', 'lead:industry', 'lead:country']);

/** The tool that enters these fields of a lead. */
export function fillingTool(unknown: readonly string[]): 'svc_upsert_lead' | 'svc_import_leads_csv' {
  return unknown.some((name) => BY_FILE.has(name)) ? 'svc_import_leads_csv' : 'svc_upsert_lead';
}

/**
 * Of these placeholders those that the lead's record has no value for; null: one of them is no matter of the record, or that is
 * the shared pool's, which no workspace writes.
 */
export async function unknownFields(tx: Tx, leadId: string, placeholders: readonly string[]): Promise<string[] | null> {
  if (!placeholders.every((name) => name.startsWith('lead:'))) return null;
  const lead = await tx.row<TemplateLead>(
    `select
       first_name as "firstName", last_name as "lastName", full_name as "fullName", title, headline, company,
       industry, seniority, location, country, email, custom_fields as "customFields"
     from lead
     where id = $1 and workspace_id is not null`,
    [leadId],
  );
  if (!lead) return null;
  const facts = { lead, sender: { firstName: '', fullName: '' }, signal: { title: '' } };
  return placeholders.filter((name) => {
    const part = { kind: 'field', source: 'lead', name: name.slice('lead:'.length), fallback: null } as const;
    return 'missing' in renderTemplate([part], facts);
  });
}
