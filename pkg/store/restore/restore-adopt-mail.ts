import type { Tx } from '../../postgres/database.ts';
import {
  type AdoptContext,
  anyWorkspace,
  type Kept,
  keep,
  nextPlace,
  type Place,
  personOf,
  spend,
  takeKey,
} from './restore-adopt.ts';

/** A mail of ours that a mailbox shows and the ledger lacks. */
export interface LackingMail {
  /** From its Message-ID. */
  sendId: string;
  messageId: string;
  /** Instead of it, where the server replaced it. */
  givenId?: string;
  /** Lower case. */
  to: string;
  subject: string;
  /** Epoch ms; null when the mail does not say. */
  at: number | null;
}

/**
 * Takes a mail into the ledger under the id that it was sent with, so that the next look knows it and answers find their
 * thread. It belongs to the next mail node of the person's live run; somebody who is in no run gets the key of the first
 * one of every workflow that may mail through this mailbox: rather one mail too few than one twice.
 * @returns `workflow/node` of what will not be sent again
 */
export async function adoptMail(tx: Tx, mail: LackingMail, context: AdoptContext): Promise<string[]> {
  const { accountId, now } = context;
  const alias = await tx.row<{ hash: string }>('select app.mail_hash($1) as hash', [mail.to]);
  const personId = await personOf(tx, 'mail', alias?.hash ?? '', context);
  const kept: Kept = {
    sendId: mail.sendId,
    key: `a:${accountId}:${mail.sendId}`,
    personId,
    action: 'mail',
    body: null,
    target: {
      to: mail.to,
      subject: mail.subject,
      messageId: mail.messageId,
      ...(mail.givenId ? { givenId: mail.givenId } : {}),
    },
    ref: mail.messageId,
    at: mail.at ?? now,
  };
  const live = await nextPlace(tx, personId, accountId, 'mail:send');
  const places = live.length > 0 ? live : await firstPlaces(tx, personId, accountId);
  // The id of the mail belongs to one key; those of other workflows get ids of their own.
  for (const [index, place] of places.entries()) {
    const sendId = index === 0 ? mail.sendId : context.newId();
    const key = `m:${personId}:${place.workflowId}:${place.nodeId}`;
    await keep(tx, { ...kept, sendId, key }, place, context);
  }
  if (places.length === 0) await takeKey(tx, kept, await anyWorkspace(tx, accountId));
  await spend(tx, { kind: 'mail', text: null, at: mail.at }, places[0], context);
  return places.map((place) => `${place.workflowId}/${place.nodeId}`);
}

/** The first mail node with a free key of each workflow of the mailbox's workspaces. */
async function firstPlaces(tx: Tx, personId: string, accountId: string): Promise<Place[]> {
  return tx.rows<Place>(
    `select distinct on (f.id)
       f.workspace_id as "workspaceId", f.campaign_id as "campaignId", f.id as "workflowId",
       n ->> 'nodeId' as "nodeId", null::uuid as "runId", null::uuid as "leadId"
     from workflow f
     join account_link l on l.workspace_id = f.workspace_id and l.account_id = $1
     join workflow_graph g on g.workflow_id = f.id and g.version = f.graph_version
     cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality x (n, ord)
     where f.deleted_at is null
       and n ->> 'nodeType' = 'mail:send'
       and not exists (select 1 from send_key k where k.key = 'm:' || $2 || ':' || f.id || ':' || (n ->> 'nodeId'))
     order by f.id, ord limit 1000`,
    [accountId, personId],
  );
}
