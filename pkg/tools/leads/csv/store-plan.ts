import type { Tx } from '../../../postgres/database.ts';
import {
  type ImportLead,
  insertLeads,
  keepMatchKeys,
  leadOfManyFields,
  mergeLeads,
} from '../../../store/leads/imports.ts';
import { invalidInput } from '../../errors.ts';
import { MAX_CUSTOM_FIELDS } from '../lead-fields.ts';
import type { ImportPlan } from './plan-import.ts';

/** Leads per statement: no statement comes near its timeout, and the caller sees progress. */
const CHUNK = 1_000;

export interface StorePlan {
  workspaceId: string;
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  /** Provenance of what is stored. */
  source: string;
  /** Epoch ms UTC, product time. */
  now: number;
  progress: (done: number, total: number) => void;
}

/** Stores the leads of a plan with their keys, companies and persons, in chunks of one transaction. */
export async function storePlan(tx: Tx, plan: ImportPlan, store: StorePlan): Promise<void> {
  const { workspaceId, onDuplicate, source, now, progress } = store;
  const total = plan.create.length + plan.merge.length;
  let done = 0;
  const each = async (leads: readonly ImportLead[], write: (chunk: ImportLead[]) => Promise<void>): Promise<void> => {
    for (let start = 0; start < leads.length; start += CHUNK) {
      const chunk = leads.slice(start, start + CHUNK);
      await write(chunk);
      await complete(tx, workspaceId, chunk, now);
      done += chunk.length;
      progress(done, total);
    }
  };
  await each(plan.create, (chunk) => insertLeads(tx, workspaceId, chunk, source, now));
  await each(plan.merge, async (chunk) => {
    if (onDuplicate === 'skip') return;
    await mergeLeads(tx, workspaceId, chunk, onDuplicate, source, now);
    await requireFewFields(tx, chunk);
  });
}

/** What follows from a stored lead: how it is found again, where it works, who it is. */
async function complete(tx: Tx, workspaceId: string, leads: readonly ImportLead[], now: number): Promise<void> {
  const leadIds = leads.map((lead) => lead.id);
  await keepMatchKeys(tx, workspaceId, leads);
  await tx.exec('select app.complete_leads($1, $2)', [leadIds, now]);
}

/** @throws UserError for a lead that has too many custom fields with those of the file; nothing is imported then */
async function requireFewFields(tx: Tx, leads: readonly ImportLead[]): Promise<void> {
  const told = leads.filter((lead) => Object.keys(lead.customFields).length > 0);
  const full = await leadOfManyFields(
    tx,
    told.map((lead) => lead.id),
    MAX_CUSTOM_FIELDS,
  );
  const row = told.find((lead) => lead.id === full)?.line;
  if (row !== undefined) {
    throw invalidInput('csv', `row ${row}: the lead would have more than ${MAX_CUSTOM_FIELDS} custom fields`);
  }
}
