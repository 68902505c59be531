import { compileGraph } from '../../nodes/compile-graph.ts';
import { NODE_TYPES_VERSION } from '../../nodes/define.ts';
import type { GraphChecker } from '../../store/resources/graph-checker.ts';

/** Judges graphs by this program's vocabulary. */
export const graphChecker: GraphChecker = {
  version: NODE_TYPES_VERSION,
  problemsOf(graph, inForce) {
    return compileGraph(graph, { inForce }).errors.map(({ nodeIndex, edgeIndex, message }) => {
      const at = nodeIndex !== null ? `node ${nodeIndex}: ` : edgeIndex !== null ? `edge ${edgeIndex}: ` : '';
      return `${at}${message}`;
    });
  },
};
