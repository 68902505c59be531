import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';
import type { LackingTrace } from './restore-guard.ts';
import { spendUnit } from './restore-spend.ts';

/** What became of a trace: kept as a send, or left alone and why. */
export type Adoption = { adopted: true; nodes: string[] } | { adopted: false; why: string };

export interface AdoptContext {
  accountId: string;
  /** Product time, epoch ms. */
  now: number;
  newId: () => string;
}

/** Where a send belongs. */
export interface Place {
  workspaceId: string;
  campaignId: string;
  workflowId: string;
  nodeId: string;
  /** The person's run there, live before ended; null: it is not enrolled. */
  runId: string | null;
  leadId: string | null;
}

/** A send as the ledger keeps it. */
export interface Kept {
  sendId: string;
  key: string;
  personId: string;
  action: 'message' | 'inmail' | 'connection_request' | 'mail';
  body: string | null;
  target: JsonObject;
  ref: string;
  /** Epoch ms, product time. */
  at: number;
}

/** A trace that is of somebody. */
type ToSomebody = LackingTrace & { trace: { kind: Exclude<LackingTrace['trace']['kind'], 'post'> } };

function isToSomebody(lacking: LackingTrace): lacking is ToSomebody {
  return lacking.trace.kind !== 'post';
}

/**
 * Takes a send that the provider shows and the ledger lacks into the ledger, keyed to the person, so that nobody is
 * written to again. A person whom the database forgot is made anew, by the public profile id.
 */
export async function adoptTrace(tx: Tx, lacking: LackingTrace, context: AdoptContext): Promise<Adoption> {
  if (!isToSomebody(lacking)) {
    // Before a post goes out it is looked for (pkg/engine/content), and this one is found then.
    const why = lacking.ours ? 'found when its time comes, and not published again' : 'posted by hand';
    return { adopted: false, why };
  }
  const { kind } = lacking.trace;
  if (kind !== 'connection_request' && !lacking.ours && !lacking.ofLead) {
    return { adopted: false, why: 'written by hand to somebody who is in no workflow' };
  }
  const alias = lacking.trace.publicId?.toLowerCase();
  const personId = lacking.personId ?? (alias ? await personOf(tx, 'profile', alias, context) : null);
  if (!personId) return { adopted: false, why: 'the provider does not say who it was sent to' };
  return kind === 'connection_request'
    ? adoptRequest(tx, lacking, personId, context)
    : adoptMessage(tx, lacking, personId, context);
}

/** The person of an alias to an agency of the account, one who is followed first; one whom the database forgot is made anew. */
export async function personOf(
  tx: Tx,
  kind: 'profile' | 'mail',
  alias: string,
  { now, newId, accountId }: AdoptContext,
): Promise<string> {
  const known = await tx.row<{ id: string }>(
    `select a.person_id as id
     from person_alias a
     where a.kind = $1
       and a.value = $2
       and a.scope in (select app.person_scope(l.workspace_id) from account_link l where l.account_id = $3)
     order by exists (select 1 from run r where r.person_id = a.person_id and r.ended_at is null) desc, 1 limit 1`,
    [kind, alias, accountId],
  );
  if (known) return known.id;
  const id = newId();
  const home = await anyWorkspace(tx, accountId);
  await tx.exec('insert into person (id, scope, created_at) values ($1, app.person_scope($3), $2)', [id, now, home]);
  await tx.exec('insert into person_alias (scope, kind, value, person_id) values (app.person_scope($4), $1, $2, $3)', [
    kind,
    alias,
    id,
    home,
  ]);
  return id;
}

async function adoptMessage(tx: Tx, lacking: ToSomebody, personId: string, context: AdoptContext): Promise<Adoption> {
  const byText = await placesOfText(tx, lacking, personId, context.accountId);
  const type = `network:${lacking.trace.kind}`;
  const places = byText.length > 0 ? byText : await nextPlace(tx, personId, context.accountId, type);
  if (places.length === 0) return { adopted: false, why: 'no message is left in any workflow of the person' };
  for (const place of places) {
    const key = `m:${personId}:${place.workflowId}:${place.nodeId}`;
    await keep(tx, keptOf(lacking, personId, key, context), place, context);
  }
  await spend(tx, lacking.trace, places[0], context);
  return { adopted: true, nodes: places.map((place) => `${place.workflowId}/${place.nodeId}`) };
}

function keptOf({ trace }: ToSomebody, personId: string, key: string, { now, newId }: AdoptContext): Kept {
  const { kind: action, text: body, ref, providerId, publicId } = trace;
  return { sendId: newId(), key, personId, action, body, target: { providerId, publicId }, ref, at: trace.at ?? now };
}

async function adoptRequest(tx: Tx, lacking: ToSomebody, personId: string, context: AdoptContext): Promise<Adoption> {
  const { accountId, now } = context;
  const { trace } = lacking;
  const place = (await nextPlace(tx, personId, accountId, 'network:connection_request'))[0];
  const key = `r:${accountId}:${personId}`;
  const kept = keptOf(lacking, personId, key, context);
  if (place) await keep(tx, kept, place, context);
  else await takeKey(tx, kept, await anyWorkspace(tx, accountId));
  await spend(tx, trace, place, context);
  await tx.exec(
    `insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
     values ($1, $2, $3, 'pending', $4, $5)
     on conflict (account_id, person_id) do update set
       provider_id = coalesce(excluded.provider_id, r.provider_id),
       state = case when r.state = 'none' then 'pending' else r.state end,
       invitation_id = coalesce(r.invitation_id, excluded.invitation_id),
       requested_at = coalesce(r.requested_at, excluded.requested_at)`,
    [accountId, personId, trace.providerId || null, trace.ref, trace.at ?? now],
  );
  return { adopted: true, nodes: place ? [`${place.workflowId}/${place.nodeId}`] : [] };
}

/** Nodes whose text it is: those of workflows that follow the person, else all; one node of each workflow. */
async function placesOfText(tx: Tx, lacking: ToSomebody, personId: string, accountId: string): Promise<Place[]> {
  const rows = await tx.rows<Place>(
    `select distinct on (n.workflow_id)
       n.workspace_id as "workspaceId", n.campaign_id as "campaignId", n.workflow_id as "workflowId",
       n.node_id as "nodeId", u.id as "runId", u.lead_id as "leadId"
     from app.nodes_of_text($1, $4, $2) n
     left join lateral (
       select id, lead_id
       from run r
       where r.workflow_id = n.workflow_id and r.person_id = $3
       order by r.ended_at is null desc, r.started_at desc limit 1
     ) u on true
     where not exists (
       select 1 from send_key k where k.key = 'm:' || $3 || ':' || n.workflow_id || ':' || n.node_id
     )
     order by n.workflow_id, app.node_position(n.workflow_id, n.node_id)`,
    [accountId, lacking.trace.text ?? '', personId, lacking.trace.kind],
  );
  const followed = rows.filter((row) => row.runId !== null);
  return followed.length > 0 ? followed : rows;
}

/** The first node of this type, from where the person's live run stands, whose key is free. */
export async function nextPlace(tx: Tx, personId: string, accountId: string, type: string): Promise<Place[]> {
  return tx.rows<Place>(
    `select
       u.workspace_id as "workspaceId", u.campaign_id as "campaignId", u.workflow_id as "workflowId",
       n ->> 'nodeId' as "nodeId", u.id as "runId", u.lead_id as "leadId"
     from run u
     join account_link l on l.workspace_id = u.workspace_id and l.account_id = $1
     join workflow_graph g on g.workflow_id = u.workflow_id and g.version = u.graph_version
     cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality x (n, ord)
     where u.person_id = $2
       and u.ended_at is null
       and n ->> 'nodeType' = $3
       and ord >= coalesce(app.node_position(u.workflow_id, u.node_id), 0)
       and not exists (
         select 1
         from send_key k
         where k.key = 'm:' || u.person_id || ':' || u.workflow_id || ':' || (n ->> 'nodeId')
       )
     order by u.account_id is distinct from $1, u.started_at desc, ord limit 1`,
    [accountId, personId, type],
  );
}

/** Key, confirmed send and contact log, as if the ledger had seen it. */
export async function keep(tx: Tx, kept: Kept, place: Place, { accountId, now }: AdoptContext): Promise<void> {
  const { sendId, key, personId, action, at } = kept;
  await takeKey(tx, kept, place.workspaceId);
  const evidence = [{ at: now, what: 'adopted', text: 'the provider shows it, the restored ledger lacked it' }];
  if (place.runId) {
    await tx.exec(
      `insert into send (
         id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action,
         send_key, state, epoch, body, target, claimed_at, dispatched_at, settled_at, provider_ref, evidence
       )
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'confirmed', 0, $12, $13, $14, $14, $15, $16, $17)`,
      [
        sendId,
        place.workspaceId,
        place.workflowId,
        place.campaignId,
        place.runId,
        place.nodeId,
        place.leadId,
        personId,
        accountId,
        action,
        key,
        kept.body,
        JSON.stringify(kept.target),
        at,
        now,
        kept.ref,
        JSON.stringify(evidence),
      ],
    );
  }
  await tx.exec(
    `insert into contact_log as g (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
     values ($1, $2, $3, $4, $5, $6, 1)
     on conflict (person_id, workflow_id) do update set
       last_at = greatest(g.last_at, excluded.last_at),
       touches = g.touches + 1`,
    [personId, place.workspaceId, place.campaignId, place.workflowId, accountId, at],
  );
}

/** One unit, in however many places its words stand. */
export async function spend(
  tx: Tx,
  { kind, text, at }: { kind: Kept['action']; text: string | null; at: number | null },
  place: Place | undefined,
  { accountId, now }: AdoptContext,
): Promise<void> {
  const workspaceId = place?.workspaceId ?? (await anyWorkspace(tx, accountId));
  const withNote = kind === 'connection_request' && Boolean(text);
  await spendUnit(tx, { accountId, workspaceId, action: kind, withNote, at: at ?? now }, now);
}

/** The key alone: nobody does it again. */
export async function takeKey(tx: Tx, { key, personId, sendId, at }: Kept, workspaceId: string): Promise<void> {
  await tx.exec(
    `insert into send_key (key, person_id, workspace_id, send_id, taken_at)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [key, personId, workspaceId, sendId, at],
  );
}

/** A workspace that the account is linked to. */
export async function anyWorkspace(tx: Tx, accountId: string): Promise<string> {
  const row = await tx.row<{ id: string }>(
    'select workspace_id as id from account_link where account_id = $1 order by 1 limit 1',
    [accountId],
  );
  return row?.id ?? '';
}
