import { parseSpec } from '../../api/object.ts';
import type { WorkflowSpec } from '../../api/specs.ts';
import { MAX_GRAPH_ERRORS, workflowSpec } from '../../api/workflow.ts';
import { UserError } from '../../base/errors.ts';
import { keepNodeIds } from '../../domain/node-history.ts';
import type { GraphChecker } from '../../store/resources/graph-checker.ts';
import { graphOf } from '../../store/resources/workflow-graph.ts';
import type { WholeObject } from '../look.ts';

/** Characters of one error that the definition takes. */
const MAX_LENGTH = 500;

/** What is wrong with the graph of a spec, the first few errors as the status tells them; none of a spec that is no spec. */
export function graphErrorsOf(checker: GraphChecker, object: WholeObject): string[] {
  try {
    const { graph } = parseSpec<WorkflowSpec>(workflowSpec, object);
    const { nodes } = keepNodeIds(graph.nodes, { previous: null, used: new Set(), sent: new Set() });
    const problems = checker.problemsOf(graphOf(nodes, graph.edges), false);
    return problems.slice(0, MAX_GRAPH_ERRORS).map((problem) => problem.slice(0, MAX_LENGTH));
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
