import type { z } from 'zod';
import type { CompiledGraph } from '../../domain/graph.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { Tx } from '../../postgres/database.ts';
import type { graphProblem } from '../records/graph.ts';
import { type Senders, senderValues, WOULD_SEND } from './forecast-facts.ts';

type Warning = z.input<typeof graphProblem>;

/** Leads of each kind (scored high enough, in lists) that are looked at. */
const SAMPLE = 500;

/**
 * Steps that nobody who is linked and well can do, and leads whom a step can not find: they would wait, or fail one by one, in
 * a graph that is valid and a forecast that leaves them out.
 */
export async function reachWarnings(
  tx: Tx,
  { campaignId, senders }: { campaignId: string; senders: Senders },
  graph: CompiledGraph,
): Promise<Warning[]> {
  const [network, mail] = [firstOf(graph, false), firstOf(graph, true)];
  if (network === null && mail === null) return [];
  const kinds = await sendingKinds(tx, senders);
  const warnings: Warning[] = [];
  if (network !== null && !kinds.has('network'))
    warnings.push(
      warning(network, 'no_sender', 'No healthy network account may send: leads wait at the steps at the network.'),
    );
  if (mail !== null && !kinds.has('mail'))
    warnings.push(warning(mail, 'no_sender', 'No healthy mailbox may send: leads wait at the mail steps.'));
  const found = await reachOf(tx, senders.workspaceId, campaignId);
  const of = (count: number): string => `${count} of ${found.leads} leads of the campaign that were looked at have`;
  if (network !== null && found.profileless > 0)
    warnings.push(
      warning(
        network,
        'no_profile',
        `${of(found.profileless)} no profile address: steps at the network fail for them.`,
      ),
    );
  if (mail !== null && found.mailless > 0)
    warnings.push(
      warning(
        mail,
        'no_email',
        `${of(found.mailless)} no mail address: mail steps take the outcome no_email for them.`,
      ),
    );
  return warnings;
}

/** Index of the first step that acts at the network, or by mail. */
function firstOf(graph: CompiledGraph, byMail: boolean): number | null {
  const index = graph.nodes.findIndex((node) => {
    const type = nodeTypeOf(node.nodeType);
    return type.kind === 'effect' && (type.channel === 'mail') === byMail;
  });
  return index < 0 ? null : index;
}

function warning(nodeIndex: number, code: string, message: string): Warning {
  return { nodeIndex, edgeIndex: null, code, message };
}

/** Kinds of accounts of which one is linked, well and named, or none of the kind is named. */
async function sendingKinds(tx: Tx, senders: Senders): Promise<ReadonlySet<string>> {
  const rows = await tx.rows<{ kind: string }>(
    `select distinct n.kind from network_account n where ${WOULD_SEND}`,
    senderValues(senders),
  );
  return new Set(rows.map((row) => row.kind));
}

interface Reach {
  leads: number;
  profileless: number;
  mailless: number;
}

/** Of some leads that the campaign would take. */
async function reachOf(tx: Tx, workspaceId: string, campaignId: string): Promise<Reach> {
  const row = await tx.row<Reach>(
    `select
       count(*)::int as leads,
       count(*) filter (where l.profile_id is null)::int as profileless,
       count(*) filter (where l.email is null)::int as mailless
     from (
       (
         select s.lead_id
         from lead_score s
         join campaign c on c.id = s.campaign_id
         where s.campaign_id = $2 and s.total >= app.score_min(c.settings)
         limit $3
       )
       union (
         select m.lead_id
         from lead_list t
         join lead_list_member m on m.lead_list_id = t.id
         where t.workspace_id = $1 and t.campaign_id = $2 and t.deleted_at is null
         limit $3
       )
     ) x
     join lead l on l.id = x.lead_id and l.erased_at is null`,
    [workspaceId, campaignId, SAMPLE],
  );
  return row ?? { leads: 0, profileless: 0, mailless: 0 };
}
