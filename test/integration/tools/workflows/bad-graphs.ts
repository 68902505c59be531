import { SPEC_GRAPH } from '../workflow-stage.ts';

/** Graphs that break one rule each. */
export const BAD: readonly (readonly [string, object, RegExp])[] = [
  ['an unknown node type', { nodes: [{ nodeType: 'no:such' }], edges: [] }, /unknown nodeType "no:such"/],
  [
    'a bad config',
    { nodes: [{ nodeType: 'flow:wait', config: { waitType: 'never' } }], edges: [] },
    /config\.waitType/,
  ],
  [
    'an index out of range',
    { ...SPEC_GRAPH, edges: [{ sourceIndex: 0, targetIndex: 9 }] },
    /targetIndex 9 is out of range/,
  ],
  [
    'an unknown branch',
    { ...SPEC_GRAPH, edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'x' }] },
    /unknown branch "x"/,
  ],
  ['a cycle', { ...SPEC_GRAPH, edges: [...SPEC_GRAPH.edges, { sourceIndex: 2, targetIndex: 0 }] }, /no cycles/],
  ['an unreachable node', { ...SPEC_GRAPH, edges: [SPEC_GRAPH.edges[0]] }, /cannot be reached/],
  ['a source that feeds nobody', { nodes: [{ nodeType: 'source:manual' }], edges: [] }, /feeds nobody/],
];
