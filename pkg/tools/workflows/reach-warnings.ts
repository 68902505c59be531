import type { z } from 'zod';
import type { CompiledGraph } from '../../domain/graph.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { Tx } from '../../postgres/database.ts';
import type { graphProblem } from '../records/graph.ts';
import { type Senders, senderValues, WOULD_SEND } from './forecast-facts.ts';
import { sampledLeads } from './sampled-leads.ts';

type Warning = z.input<typeof graphProblem>;

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
  const [row] = await sampledLeads<Reach>(
    tx,
    { workspaceId, campaignId },
    `count(*)::int as leads,
     count(*) filter (where l.profile_id is null)::int as profileless,
     count(*) filter (where l.email is null)::int as mailless`,
  );
  return row ?? { leads: 0, profileless: 0, mailless: 0 };
}
