import type { z } from 'zod';
import type { CompiledGraph } from '../../domain/graph.ts';
import { type LostShare, lostShares } from '../../nodes/lost-shares.ts';
import type { Rates } from '../../nodes/outcome-shares.ts';
import type { graphProblem } from '../records/graph.ts';

type Warning = z.input<typeof graphProblem>;

/** Told otherwise: a failed run says so itself, gaps and missing addresses are counted among the leads that are there. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set(['failed', 'missing_data', 'no_email']);

/** The leads among which a share is counted where no simulation was asked for. */
const OF_HUNDRED = 100;

/**
 * Where leads end though others go on: outcomes without an edge, with how many of the leads the forecast sees there; those that it
 * does not reckon with (a refusal, a gap in a text) are named together.
 * @param leads of the simulation; 0: of a hundred
 */
export function lostWarnings(graph: CompiledGraph, rates: Rates, leads: number): Warning[] {
  const all = leads === 0 ? OF_HUNDRED : leads;
  const byNode = new Map<number, LostShare[]>();
  for (const lost of lostShares(graph, rates))
    byNode.set(lost.nodeIndex, [...(byNode.get(lost.nodeIndex) ?? []), lost]);
  return [...byNode].flatMap(([nodeIndex, lost]) => warningsOf(graph, nodeIndex, lost, all));
}

function warningsOf(graph: CompiledGraph, nodeIndex: number, lost: readonly LostShare[], all: number): Warning[] {
  const nodeType = graph.nodes[nodeIndex]?.nodeType ?? '';
  const warning = (message: string): Warning => ({ nodeIndex, edgeIndex: null, code: 'runs_end_here', message });
  const seen = lost.filter(({ share }) => share > 0);
  const unseen = lost
    .filter(({ share, outcome }) => share === 0 && !TOLD_OTHERWISE.has(outcome))
    .map(({ outcome }) => `"${outcome}"`);
  const counted = seen.map(({ outcome, share }) => {
    const count = Math.round(share * all);
    return warning(
      `branch "${outcome}" of ${nodeType} has no edge: its runs end here as ${endOf(outcome)}; of ${all} leads the forecast sees ${count === 0 ? 'fewer than 1' : count} there`,
    );
  });
  // The last step of a way ends anyhow.
  const goesOn = (graph.nodes[nodeIndex]?.next.size ?? 0) > 0;
  if (unseen.length === 0 || !goesOn) return counted;
  const many = unseen.length > 1;
  return [
    ...counted,
    warning(
      `${many ? 'branches' : 'branch'} ${unseen.join(', ')} of ${nodeType} ${many ? 'have' : 'has'} no edge: who takes ${many ? 'one of them' : 'it'} ends here; the forecast reckons with nobody there`,
    ),
  ];
}

/** As what a run ends by an outcome without an edge. Source: catalog graphShape. */
function endOf(outcome: string): string {
  if (outcome === 'failed') return 'failed';
  return outcome === 'missing_data' || outcome === 'expired' ? 'stopped' : 'completed';
}
