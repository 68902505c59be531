import type { GraphShape } from './picture.ts';

type Edge = GraphShape['edges'][number];

/**
 * Which edges lead back: those that close a cycle of a walk from the first node on, and those of a node to itself. Without them nothing
 * leads in a circle. Each node and each edge is met once.
 */
function backEdges(leaving: readonly (readonly number[])[], edges: readonly Edge[]): boolean[] {
  const back = edges.map(([from, to]) => from === to);
  const state = leaving.map((): 'unseen' | 'open' | 'done' => 'unseen');
  for (let start = 0; start < leaving.length; start++) {
    if (state[start] !== 'unseen') continue;
    // No recursion: a chain may be as long as a graph.
    const open = [{ node: start, next: 0 }];
    state[start] = 'open';
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const at = leaving[top.node]?.[top.next++];
      if (at === undefined) {
        state[top.node] = 'done';
        open.pop();
        continue;
      }
      const to = edges[at]?.[1] ?? 0;
      if (state[to] === 'open') back[at] = true;
      if (state[to] !== 'unseen') continue;
      state[to] = 'open';
      open.push({ node: to, next: 0 });
    }
  }
  return back;
}

/** Rank of each node, the first at 0: its longest path without edges that lead back. Each node and each edge is met a few times. */
export function quickRanks({ nodes, edges }: GraphShape): number[] {
  const leaving = Array.from({ length: nodes }, (): number[] => []);
  edges.forEach(([from], at) => {
    leaving[from]?.push(at);
  });
  const back = backEdges(leaving, edges);
  const awaited = new Array<number>(nodes).fill(0);
  edges.forEach(([, to], at) => {
    if (!back[at]) awaited[to] = (awaited[to] ?? 0) + 1;
  });
  const ranks = new Array<number>(nodes).fill(0);
  const ready = ranks.flatMap((_, node) => (awaited[node] === 0 ? [node] : []));
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const at of leaving[node] ?? []) {
      if (back[at]) continue;
      const to = edges[at]?.[1] ?? 0;
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[node] ?? 0) + 1);
      awaited[to] = (awaited[to] ?? 0) - 1;
      if (awaited[to] === 0) ready.push(to);
    }
  }
  return ranks;
}
