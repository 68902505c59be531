import { type Identifiable, identitiesOf, identitiesToAsk } from '../../domain/erased-identity.ts';
import type { Tx } from '../../postgres/database.ts';

/** Which of the persons were erased in the workspace and must not come back. */
export async function erasedAmong<T extends Identifiable>(
  tx: Tx,
  workspaceId: string,
  persons: readonly T[],
): Promise<Set<T>> {
  const asked = persons.map((person) => ({ person, identities: identitiesToAsk(person) }));
  const all = [...new Set(asked.flatMap((entry) => entry.identities))];
  const rows = await tx.rows<{ identity: string }>('select i as identity from app.erased_identities($1, $2) i', [
    workspaceId,
    all,
  ]);
  const erased = new Set(rows.map((row) => row.identity));
  return new Set(asked.filter((entry) => entry.identities.some((one) => erased.has(one))).map((entry) => entry.person));
}

/** Keeps salted hashes by which the person is recognised, and nothing else. */
export async function leaveTombstone(
  tx: Tx,
  workspaceId: string,
  person: Identifiable,
  { reason, now }: { reason: string; now: number },
): Promise<void> {
  await tx.exec('select app.leave_tombstones($1, $2, $3, $4)', [workspaceId, identitiesOf(person), reason, now]);
}

/** What is queued about the persons names them, and would bring them back: profiles that are to be read, and why an agent chose them. */
export async function dropQueued(
  tx: Tx,
  workspaceId: string,
  persons: { leadIds: readonly string[]; profileIds: readonly string[] },
): Promise<void> {
  await tx.exec(
    `update lead_scrape_item set state = case state when 'queued' then 'failed' else state end, profile_id = ''
     where workspace_id = $1 and (lead_id = any ($2::uuid[]) or profile_id = any ($3::text[]))`,
    [workspaceId, persons.leadIds, persons.profileIds],
  );
  await tx.exec(`update signal_queue set rule = '' where workspace_id = $1 and lead_id = any ($2::uuid[])`, [
    workspaceId,
    persons.leadIds,
  ]);
}

/** What was erased, by kind; null when there was nothing. */
export type ErasedCounts = Record<string, number>;

/** Erases what the workspace holds on a lead. @param keep also forbids contact with the person */
export async function eraseLeadRows(
  tx: Tx,
  lead: { workspaceId: string; leadId: string; now: number; keep: boolean },
): Promise<ErasedCounts | null> {
  const row = await tx.row<{ erased: ErasedCounts | null }>('select app.erase_lead($1, $2, $3, $4) as erased', [
    lead.workspaceId,
    lead.leadId,
    lead.now,
    lead.keep,
  ]);
  return row?.erased ?? null;
}

/** Sends and calls that one call forgets at most. */
const AT_ONCE = 1_000;

/**
 * Forgets the texts of sends and what calls brought that were open when their person was erased, and whose outcome is known by now:
 * until then they are looked up by them. For the platform only. @returns how many
 */
export async function forgetSettled(tx: Tx): Promise<number> {
  const row = await tx.row<{ forgotten: number }>('select app.forget_settled($1) as forgotten', [AT_ONCE]);
  return row?.forgotten ?? 0;
}
