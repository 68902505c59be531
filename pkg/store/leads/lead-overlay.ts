import type { Tx } from '../../postgres/database.ts';

interface OverlayKey {
  workspaceId: string;
  leadId: string;
}

/** Tags that a lead may have in a workspace. */
export const MOST_TAGS = 200;

/** Replaces, adds and removes tags of the workspace on a lead, in this order. @returns false when there is no room for them */
export async function changeTags(
  tx: Tx,
  { workspaceId, leadId }: OverlayKey,
  change: {
    tags?: readonly string[] | undefined;
    addTags?: readonly string[] | undefined;
    removeTags?: readonly string[] | undefined;
  },
): Promise<boolean> {
  const after =
    'array(select distinct t from unnest(coalesce($3::text[], o.tags) || $4::text[]) t where t <> all ($5::text[]) order by t)';
  const written = await tx.exec(
    `insert into lead_overlay as o (workspace_id, lead_id, tags)
     select
       $1,
       $2,
       array(
         select distinct t
         from unnest(coalesce($3::text[], '{}') || $4::text[]) t
         where t <> all ($5::text[])
         order by t
       )
     on conflict (workspace_id, lead_id) do update set tags = ${after}
       where cardinality(${after}) <= greatest($6, cardinality(o.tags))`,
    [workspaceId, leadId, change.tags ?? null, change.addTags ?? [], change.removeTags ?? [], MOST_TAGS],
  );
  return written > 0;
}

/** Notes that a lead may have in a workspace. */
const MOST_NOTES = 200;

/** Appends a note of the workspace to a lead. @returns false when there is no room for another */
export async function addNote(
  tx: Tx,
  { workspaceId, leadId }: OverlayKey,
  note: { noteId: string; text: string; author: string; at: number },
): Promise<boolean> {
  const written = await tx.exec(
    `insert into lead_overlay as o (workspace_id, lead_id, notes) values ($1, $2, jsonb_build_array($3::jsonb))
     on conflict (workspace_id, lead_id) do update set notes = o.notes || excluded.notes
       where jsonb_array_length(o.notes) < $4`,
    [workspaceId, leadId, JSON.stringify(note), MOST_NOTES],
  );
  return written > 0;
}
