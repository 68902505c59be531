import { compileGraph } from '../../nodes/compile-graph.ts';
import { NODE_TYPES_VERSION } from '../../nodes/define.ts';
import type { GraphChecker } from '../../store/resources/graph-checker.ts';

/** Judges graphs by this program's vocabulary; the first finding is the sentence that a person sees. */
export const graphChecker: GraphChecker = {
  version: NODE_TYPES_VERSION,
  problemOf(graph, inForce) {
    const [first, ...others] = compileGraph(graph, { inForce }).errors;
    if (!first) return null;
    const at =
      first.nodeIndex !== null
        ? `node ${first.nodeIndex}: `
        : first.edgeIndex !== null
          ? `edge ${first.edgeIndex}: `
          : '';
    return `${at}${first.message}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
  },
};
