import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';

/** A merge of two persons that stands, as the journal has it. */
export interface Merge {
  mergeId: string;
  personId: string;
  /** `agency:<id>`, or `workspace:<id>` of a workspace without an agency. */
  scope: string;
  /** ISO time, real time. */
  mergedAt: string;
  /** What proved it: `kind` is identity, provider or agency. */
  evidence: Record<string, unknown>;
  /** Leads of the person who came in. */
  leads: string[];
}

/** The newest merges that stand, of one person or of all. */
export function listMerges(tx: Tx, { personId, limit }: { personId?: string; limit: number }): Promise<Merge[]> {
  return tx.rows<Merge>(
    `select
       m.id as "mergeId", coalesce(p.merged_into, m.into_person) as "personId", m.scope,
       to_char(m.merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "mergedAt", m.evidence,
       array(select jsonb_array_elements_text(m.carried -> 'leads')) as leads
     from person_merge m
     left join person p on p.id = m.into_person
     where m.undone_at is null and ($1::uuid is null or coalesce(p.merged_into, m.into_person) = $1)
     order by m.merged_at desc, m.id limit $2`,
    [personId ?? null, limit],
  );
}

/** The persons that an id names: a person, or each person that a lead is (of the pool: to each agency one). */
export async function personsNamed(tx: Tx, id: string): Promise<string[]> {
  if (!isUuid(id)) return [];
  const rows = await tx.rows<{ id: string }>(
    `select coalesce(p.merged_into, p.id) as id from person p where p.id = $1
     union
     select l.person_id from lead l where l.id = $1 and l.workspace_id is not null and l.person_id is not null
     union
     select m.person_id from pool_person m where m.lead_id = $1`,
    [id],
  );
  return rows.map((row) => row.id);
}

/** Undoes merges of a person (app.split_person). @returns the persons that there are now, the one who keeps the id first */
export async function splitPerson(tx: Tx, personId: string, mergeId: string | null, by: string): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>('select x.id from app.split_person($1, $2, $3) as x (id)', [
    personId,
    mergeId,
    by,
  ]);
  return rows.map((row) => row.id);
}
