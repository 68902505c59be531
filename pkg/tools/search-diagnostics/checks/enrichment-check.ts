import { type Check, type CheckContext, fail } from './check.ts';

/** Days after which a failure says nothing any more. */
const DAYS = 7;
const DAY_MS = 86_400_000;

/** Which fields of a lead no provider answered for lately, unless a job asks for them again; nothing where none failed. */
export async function enrichmentCheck({ tx, workspaceId, targetId, now }: CheckContext): Promise<Check[]> {
  const rows = await tx.rows<{ field: string; provider: string | null; error: string | null }>(
    `select f.field, a.provider, a.error
     from enrichment_field f
     left join lateral (
       select x.provider, x.error
       from enrichment_attempt x
       where x.workspace_id = f.workspace_id and x.subject_id = f.subject_id and x.field = f.field
         and x.round = f.round and x.outcome in ('failed', 'asked')
       order by x.asked_at desc limit 1
     ) a on true
     where f.workspace_id = $1
       and f.subject_id = $2
       and f.state = 'failed'
       and f.settled_at > $3
       and not exists (
         select 1
         from background_job j
         where j.workspace_id = $1 and j.kind = 'lead_enrich' and j.status in ('queued', 'running')
           and j.work @> jsonb_build_object('open', jsonb_build_array(jsonb_build_object('id', $2::text)))
       )
     order by f.field`,
    [workspaceId, targetId, now - DAYS * DAY_MS],
  );
  const [first] = rows;
  if (!first) return [];
  const fields = rows.map((row) => row.field);
  const why = first.provider === null ? '' : ` (${first.provider}: ${(first.error ?? 'no answer').slice(0, 120)})`;
  const text = `No provider answered for ${fields.join(', ')}${why}, which cost nothing; svc_enrich_leads asks again.`;
  return [fail('enriched', text, 'svc_enrich_leads', { workspaceId, leadIds: [targetId], fields })];
}
