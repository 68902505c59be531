import { expect } from 'chai';
import type { Graph, GraphNode } from '../../../pkg/domain/graph.ts';
import { compileGraph } from '../../../pkg/nodes/compile-graph.ts';
import { insertNode, removeNode } from '../../../pkg/nodes/edit-graph.ts';

const CONFIGS: Record<string, GraphNode['config']> = {
  'flow:wait': { waitType: 'duration', durationMs: 1_000 },
  'flow:split': {
    branches: [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 1 },
    ],
  },
  'flow:condition': { match: 'all', rules: [{ field: 'lead.title', op: 'exists' }] },
};
const node = (nodeId: string, nodeType: string): GraphNode => ({
  nodeId,
  nodeType,
  label: '',
  config: CONFIGS[nodeType] ?? {},
});
/** `view>wait wait>if if:true>end` as a graph; ids name types by their first letter. */
const TYPES: Record<string, string> = {
  pool: 'source:campaign_pool',
  manual: 'source:manual',
  view: 'network:profile_view',
  wait: 'flow:wait',
  if: 'flow:condition',
  split: 'flow:split',
  end: 'flow:end',
  tag: 'flow:join',
};
const graph = (ids: string, edges: string): Graph => {
  const names = ids.split(' ');
  return {
    nodes: names.map((name) => node(name, TYPES[name.replace(/\d$/, '')] ?? '')),
    edges: edges.split(' ').map((text) => {
      const [from = '', to = ''] = text.split('>');
      const [source = '', branch] = from.split(':');
      return { sourceIndex: names.indexOf(source), targetIndex: names.indexOf(to), branch: branch ?? null };
    }),
  };
};
/** The edges of a graph in the same writing, in order. */
const wired = ({ nodes, edges }: Graph): string =>
  edges
    .map(({ sourceIndex, targetIndex, branch }) => {
      const [from, to] = [nodes[sourceIndex]?.nodeId, nodes[targetIndex]?.nodeId];
      return `${from}${branch ? `:${branch}` : ''}>${to}`;
    })
    .toSorted()
    .join(' ');
const valid = (made: Graph): boolean => compileGraph(made).errors.length === 0;

describe('graph edits', () => {
  describe('a node is put in', () => {
    for (const { why, before, at, type = 'tag', after } of [
      { why: 'behind the last step by default', before: ['view wait', 'view>wait'], after: 'view>wait wait>tag' },
      {
        why: 'before a final flow:end by default: nothing can follow an end',
        before: ['view end', 'view>end'],
        after: 'tag>end view>tag',
      },
      {
        why: 'between two steps',
        before: ['view wait', 'view>wait'],
        at: { afterNodeId: 'view' },
        after: 'tag>wait view>tag',
      },
      {
        why: 'on a branch, and the other branches stay',
        before: ['if wait wait2', 'if:true>wait if:false>wait2'],
        at: { afterNodeId: 'if', branch: 'false' },
        after: 'if:false>tag if:true>wait tag>wait2',
      },
      {
        why: 'on a branch that led nowhere',
        before: ['if wait', 'if:true>wait'],
        at: { afterNodeId: 'if', branch: 'false' },
        after: 'if:false>tag if:true>wait',
      },
      {
        why: 'a split goes on by each of its branches: it has no default',
        before: ['view wait', 'view>wait'],
        at: { afterNodeId: 'view' },
        type: 'split',
        after: 'split:a>wait split:b>wait view>split',
      },
      {
        why: 'a source feeds the first step',
        before: ['pool view', 'pool>view'],
        type: 'manual',
        after: 'manual>view pool>view',
      },
    ]) {
      it(why, () => {
        const made = insertNode(graph(before[0] ?? '', before[1] ?? ''), node(type, TYPES[type] ?? ''), at ?? {});
        expect(wired(made)).to.equal(after);
        expect(valid(made)).to.equal(true);
      });
    }
  });

  describe('a node is taken out', () => {
    for (const { why, before, gone, keep, after, successor } of [
      {
        why: 'its predecessor leads to its successor',
        before: ['view wait tag', 'view>wait wait>tag'],
        gone: 'wait',
        after: 'view>tag',
        successor: 'tag',
      },
      { why: 'the last one just goes', before: ['view wait', 'view>wait'], gone: 'wait', after: '', successor: null },
      {
        why: 'the first one hands its place on: without a source runs start at the first node',
        before: ['view tag wait', 'view>wait wait>tag'],
        gone: 'view',
        after: 'wait>tag',
        successor: 'wait',
      },
      {
        why: 'the only source leaves its first step first',
        before: ['tag view pool', 'pool>view view>tag'],
        gone: 'pool',
        after: 'view>tag',
        successor: 'view',
      },
      {
        why: 'every branch that led to it leads on',
        before: ['if wait tag', 'if:true>wait if:false>wait wait>tag'],
        gone: 'wait',
        after: 'if:false>tag if:true>tag',
        successor: 'tag',
      },
      {
        why: 'the kept branch is chosen',
        before: ['view if wait', 'view>if if:false>wait'],
        gone: 'if',
        keep: 'false',
        after: 'view>wait',
        successor: 'wait',
      },
    ]) {
      it(why, () => {
        const made = removeNode(graph(before[0] ?? '', before[1] ?? ''), gone, keep);
        expect(wired(made.graph)).to.equal(after);
        expect(made.successorId).to.equal(successor);
        expect(valid(made.graph)).to.equal(true);
      });
    }

    it('what only another branch led to is not dropped silently: the compiler names it', () => {
      const made = removeNode(graph('view if wait tag', 'view>if if:true>wait if:false>tag'), 'if', undefined);
      expect(compileGraph(made.graph).errors.map((error) => error.code)).to.deep.equal(['unreachable']);
    });
  });
});
