import type { Graph } from '../../domain/graph.ts';

/** Judges a graph whose node ids are assigned. The vocabulary lives above this package. */
export interface GraphChecker {
  /** Version of the vocabulary that judges. */
  version: string;
  /**
   * What is wrong, a sentence each; none: the graph can run.
   * @param inForce it is the version in force, which is judged by the rules that every version had to meet
   */
  problemsOf(graph: Graph, inForce: boolean): readonly string[];
}
