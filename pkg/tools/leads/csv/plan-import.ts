import type { ExistingLead, ImportLead } from '../../../store/imports.ts';

/** What an import will do. */
export interface ImportPlan {
  create: ImportLead[];
  /** Rows for leads that are there; `id` is the lead's. */
  merge: ImportLead[];
  /** Every lead that the file names, by line. */
  leadIds: string[];
  problems: { row: number; field: string | null; message: string }[];
}

/**
 * Decides row by row who is new and who is there: by profile, mail, then name and company, against the database and
 * against earlier rows of the file. Pure.
 */
export function planImport(
  rows: readonly ImportLead[],
  existing: readonly ExistingLead[],
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite',
): ImportPlan {
  const known = new Map<string, { id: string; line: number | null }>();
  for (const lead of existing)
    for (const key of keysOf(lead.profile_id, lead.email, lead.full_name, lead.company_key))
      known.set(key, { id: lead.id, line: null });
  const plan: ImportPlan = { create: [], merge: [], leadIds: [], problems: [] };
  const merged = new Set<string>();
  for (const row of rows) {
    const keys = keysOf(row.profileId, row.email, row.fullName.toLowerCase(), row.companyKey);
    const found = keys.map((key) => known.get(key)).find((entry) => entry !== undefined);
    const id = found?.id ?? row.id;
    for (const key of keys) if (!known.has(key)) known.set(key, { id, line: row.line });
    if (!found) {
      plan.create.push(row);
      plan.leadIds.push(id);
    } else if (found.line !== null) {
      plan.problems.push({ row: row.line, field: null, message: `the same person as line ${found.line}` });
    } else if (onDuplicate === 'skip') {
      plan.problems.push({ row: row.line, field: null, message: 'already in the workspace (onDuplicate is skip)' });
      plan.leadIds.push(id);
    } else if (!merged.has(id)) {
      merged.add(id);
      plan.merge.push({ ...row, id });
      plan.leadIds.push(id);
    } else {
      plan.problems.push({
        row: row.line,
        field: null,
        message: 'a second row for a lead that is already in the workspace',
      });
    }
  }
  return plan;
}

function keysOf(profileId: string | null, email: string | null, fullName: string, companyKey: string): string[] {
  const keys: string[] = [];
  if (profileId) keys.push(`p:${profileId}`);
  if (email) keys.push(`m:${email.toLowerCase()}`);
  // Name and company identify only where nothing better does: namesakes at one company have their own profiles.
  if (keys.length === 0 && fullName && companyKey) keys.push(`n:${fullName}|${companyKey}`);
  return keys;
}
