import type { ExclusionReach } from '../../domain/suppression.ts';
import type { Tx } from '../../postgres/database.ts';
import { MOST_TAGS } from '../leads/lead-overlay.ts';

/** Tags that a node adds or removes. */
export interface TagWrite {
  leadId: string;
  add: readonly string[];
  remove: readonly string[];
}

/**
 * Adds and removes tags of the workspace; one statement per lead keeps the order of a lead's own nodes. Where there is no room
 * for those that are added, tags are removed only.
 */
export async function applyTags(tx: Tx, workspaceId: string, writes: readonly TagWrite[]): Promise<void> {
  for (const write of writes) {
    await tx.exec(
      `insert into lead_overlay (workspace_id, lead_id, tags)
       values ($1, $2, $3)
       on conflict (workspace_id, lead_id) do update set
         tags = (
           select case when cardinality(n.all) <= $5 then n.all else n.own end
           from (
             select
               coalesce(array_agg(distinct t order by t), '{}') as all,
               coalesce(array_agg(distinct t order by t) filter (where t = any (lead_overlay.tags)), '{}') as own
             from unnest(lead_overlay.tags || excluded.tags) t
             where t <> all ($4::text[])
           ) n
         )`,
      [workspaceId, write.leadId, write.add, write.remove, MOST_TAGS],
    );
  }
}

/** Adds leads to static lists of the workspace; unknown lists are left alone. */
export async function applyListAdds(
  tx: Tx,
  workspaceId: string,
  now: number,
  adds: readonly { leadId: string; leadListId: string }[],
): Promise<void> {
  if (adds.length === 0) return;
  await tx.exec(
    `with added as (
       insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at)
       select $1, l.id, u.lead_id, $2
       from unnest($3::uuid[], $4::text[]) as u (lead_id, list_id)
       join lead_list l
         on l.id::text = u.list_id and l.workspace_id = $1 and l.type = 'static' and l.deleted_at is null
       on conflict do nothing
       returning lead_list_id
     )
     update lead_list l
     set lead_count = l.lead_count + a.n
     from (select lead_list_id, count(*)::int as n from added group by 1) a
     where l.id = a.lead_list_id`,
    [workspaceId, now, adds.map((add) => add.leadId), adds.map((add) => add.leadListId)],
  );
}

/** Excludes persons from outreach (or signals) of the workspace; whom a hand or a workflow excluded there already is not excluded twice. */
export async function applyExclusions(
  tx: Tx,
  workspaceId: string,
  now: number,
  exclusions: readonly { personId: string; appliesTo: ExclusionReach; reason: string }[],
): Promise<void> {
  for (const one of exclusions) {
    await tx.exec(
      `insert into suppression (
         id, workspace_id, level, kind, value, person_id, applies_to, source, removable, reason, created_by,
         created_at
       )
       select
         gen_random_uuid(), $1, 'workspace', 'person', $2::text, $2::uuid, $3, 'manual',
         app.is_removable('manual'), $4, 'workflow', $5::bigint
       where not exists (
         select 1
         from suppression s
         where s.workspace_id = $1
           and s.level = 'workspace'
           and s.person_id = $2::uuid
           and s.kind = 'person'
           and s.applies_to = $3
           and s.source = 'manual'
           and (s.expires_at is null or s.expires_at > $5::bigint)
       )`,
      [workspaceId, one.personId, one.appliesTo, one.reason, now],
    );
  }
}

/**
 * What persons asked for in a reply, as a reply that says so at once: nobody writes to them any more in a workspace of the account that
 * heard it. The run that found it out goes its own way; where the account is not known, it holds in the run's workspace.
 */
export async function hearOptOuts(
  tx: Tx,
  workspaceId: string,
  now: number,
  wishes: readonly { runId: string; personId: string; reason: string; heardBy: string | null }[],
): Promise<void> {
  for (const { runId, personId, reason, heardBy } of wishes) {
    await tx.exec('select app.hear_wish($1, $2, $3, $4, $5, $6)', [now, workspaceId, heardBy, personId, runId, reason]);
  }
}
