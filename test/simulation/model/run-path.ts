import { DEFAULT_OUTCOME, OUTCOMES } from './any-graph.ts';
import type { Version } from './life-player.ts';

/** A run as svc_get_workflow_run shows it. */
export interface ShownRun {
  run: {
    runId: string;
    workflowId: string;
    leadId: string;
    state: string;
    currentNodeId: string | null;
    waitReason: string | null;
    nextActionAt: string | null;
    startedAt: string;
    endedAt: string | null;
    endReason: string | null;
  };
  timeline: {
    at: string;
    kind: string;
    nodeId: string | null;
    actor: string;
    text: string;
    data: Record<string, unknown>;
  }[];
}
export type Line = ShownRun['timeline'][number];

const typeOf = (versions: readonly Version[], flow: string, nodeId: string | null): string[] =>
  versions
    .filter((one) => one.flow === flow)
    .flatMap(({ graph }) => graph.nodes.filter((node) => node.nodeId === nodeId).map((node) => node.nodeType));

function targets(versions: readonly Version[], flow: string, nodeId: string | null, outcome: string): Set<string> {
  const found = new Set<string>();
  for (const { graph } of versions.filter((one) => one.flow === flow)) {
    const index = graph.nodes.findIndex((node) => node.nodeId === nodeId);
    const own = DEFAULT_OUTCOME[graph.nodes[index]?.nodeType ?? ''] ?? null;
    for (const edge of graph.edges) {
      if (edge.sourceIndex === index && (edge.branch ?? own) === outcome)
        found.add(graph.nodes[edge.targetIndex]?.nodeId ?? '');
    }
  }
  return found;
}

function entries(versions: readonly Version[], flow: string): Set<string> {
  const found = new Set<string>();
  for (const { graph } of versions.filter((one) => one.flow === flow)) {
    const [first] = graph.nodes;
    if (!first?.nodeType.startsWith('source:')) found.add(first?.nodeId ?? '');
    for (const edge of graph.edges)
      if (graph.nodes[edge.sourceIndex]?.nodeType.startsWith('source:'))
        found.add(graph.nodes[edge.targetIndex]?.nodeId ?? '');
  }
  return found;
}

function known(types: readonly string[], outcome: string): boolean {
  if (types.includes('flow:end') && outcome === 'completed') return true;
  if (types.includes('lead:exclude') && (outcome === 'completed' || outcome === 'suppressed')) return true;
  return types.some((type) => OUTCOMES[type]?.includes(outcome));
}

/** What a history tells of the way of its run. */
export interface Path {
  wrong: string[];
  /** Visits by node that are over, with or without an outcome. */
  visits: Map<string, number>;
}

/** Every step of a history is one that a version of its graph has, after the step before it. */
export function pathOf({ run, timeline }: ShownRun, versions: readonly Version[]): Path {
  const reading = new Reading(run, versions);
  for (const line of timeline) reading.read(line);
  return reading.end();
}

/** A history that is read line by line. */
class Reading {
  readonly #run: ShownRun['run'];
  readonly #versions: readonly Version[];
  readonly #path: Path = { wrong: [], visits: new Map() };
  /** Where the way leads, in any version of the graph. */
  #expected: Set<string>;
  #redrafting = false;
  #before = Number.NEGATIVE_INFINITY;
  #last: string | null = null;

  constructor(run: ShownRun['run'], versions: readonly Version[]) {
    this.#run = run;
    this.#versions = versions;
    this.#expected = entries(versions, run.workflowId);
  }

  read(line: Line): void {
    if (line.kind === 'review.decided' && line.data['then'] === 'recraft') this.#redrafting = true;
    if (line.kind !== 'run.step_done') return;
    if (line.data['action'] === 'move') {
      this.#visit([...this.#expected][0]);
      this.#expected = new Set([line.nodeId ?? '']);
    }
    if (line.data['action'] === 'retry' && this.#last) this.#expected = new Set([this.#last]);
    if (typeof line.data['outcome'] === 'string') this.#step(line, line.data['outcome']);
  }

  #step(line: Line, outcome: string): void {
    const what = `run ${this.#run.runId} ${line.at} ${line.nodeId} ${JSON.stringify(line.data)}`;
    const { wrong } = this.#path;
    if (Date.parse(line.at) < this.#before) wrong.push(`${what}: it goes back in time`);
    this.#before = Date.parse(line.at);
    this.#visit(line.nodeId);
    const types = typeOf(this.#versions, this.#run.workflowId, line.nodeId);
    if (!known(types, outcome)) wrong.push(`${what}: ${types.join()} has no such outcome`);
    const here = targets(this.#versions, this.#run.workflowId, line.nodeId, outcome);
    const awaited = this.#expected.has(line.nodeId ?? '');
    if (this.#redrafting && types.includes('ai:craft') && !awaited) {
      // It goes back to the draft from there.
      if (outcome !== 'done') this.#expected = here;
      return;
    }
    if (!awaited) wrong.push(`${what}: the way leads to ${[...this.#expected].join()}`);
    this.#expected = here;
    this.#last = line.nodeId;
  }

  #visit(nodeId: string | null | undefined): void {
    if (nodeId) this.#path.visits.set(nodeId, (this.#path.visits.get(nodeId) ?? 0) + 1);
  }

  end(): Path {
    const { runId, endedAt, endReason, currentNodeId } = this.#run;
    if (endedAt === null && currentNodeId !== null && !this.#expected.has(currentNodeId) && !this.#redrafting)
      this.#path.wrong.push(`run ${runId} stands at ${currentNodeId}, its way leads to ${[...this.#expected].join()}`);
    if (endedAt !== null && !/^ended after /.test(endReason ?? '')) this.#visit([...this.#expected][0]);
    return this.#path;
  }
}
