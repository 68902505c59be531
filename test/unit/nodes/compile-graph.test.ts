import { expect } from 'chai';
import fc from 'fast-check';
import { compileGraph, type GraphInput } from '../../../pkg/nodes/compile-graph.ts';
import { EXAMPLE_GRAPH } from '../../../pkg/nodes/example-graph.ts';
import { nextSendNode } from '../../../pkg/nodes/next-send.ts';
import { NODE_TYPES } from '../../../pkg/nodes/registry.ts';
import { NODE_TYPES_VERSION, nodeVocabulary } from '../../../pkg/nodes/vocabulary.ts';
import { codesOf } from '../../fixtures/nodes/step-input.ts';

const view = { nodeType: 'network:profile_view' };
const join = { nodeType: 'flow:join' };
const say = { nodeType: 'network:message', config: { text: 'Hi {{lead:firstName}}' } };

describe('compileGraph', () => {
  it("accepts the specification's example without a source: node 0 is the entry, the hidden entry is counted", () => {
    const note = 'Hi {{lead:firstName}}, I would like to connect with people at {{lead:company}}.';
    const result = compileGraph({
      nodes: [
        { nodeType: 'network:profile_view', label: 'View profile', config: {} },
        { nodeType: 'flow:wait', label: 'Wait 1 day', config: { waitType: 'duration', durationMs: 86_400_000 } },
        {
          nodeType: 'network:connection_request',
          label: 'Connect',
          config: { noteMode: 'static', noteTemplate: note },
        },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ],
    });
    expect(result.errors).to.deep.equal([]);
    expect(result.compiled?.nodeCount).to.equal(4);
    expect(result.compiled?.entryNodeId).to.equal('view-profile');
    expect(result.compiled?.byId.get('view-profile')?.next.get('done')).to.equal('wait-1-day');
    expect(result.graph?.nodes.map((node) => node.nodeId)).to.deep.equal(['view-profile', 'wait-1-day', 'connect']);
    expect(result.graph?.nodes[2]?.config).to.deep.equal({ noteMode: 'static', noteTemplate: note });
  });

  it('accepts its own example, whose review shows the message; triggered leads start behind the source', () => {
    const { compiled, errors, warnings } = compileGraph(EXAMPLE_GRAPH);
    expect([errors, warnings]).to.deep.equal([[], []]);
    expect(compiled?.sources.map((node) => node.nodeType)).to.deep.equal(['source:campaign_pool']);
    expect(compiled?.entryNodeId).to.equal('view-profile');
    expect(compiled && nextSendNode(compiled, 'human-check')?.nodeId).to.equal('first-message');
  });

  it('an unknown node type names the vocabulary version and the tool to call', () => {
    for (const nodeType of ['ai:dream', 'network:teleport', 'toString', '__proto__']) {
      const problem = compileGraph({ nodes: [view, { nodeType }], edges: [] }).errors[0];
      expect(problem?.code).to.equal('unknown_node_type');
      expect(problem?.nodeIndex).to.equal(1);
      expect(problem?.message).to.contain(NODE_TYPES_VERSION).and.contain('svc_get_workflow_node_types');
    }
  });

  it('a crafted text is written before it is taken, under a label of its own', () => {
    const craft = (label: string) => ({ nodeType: 'ai:craft', label, config: { channel: 'message' } });
    const message = (label: string) => ({
      nodeType: 'network:message',
      config: { textMode: 'craft', text: `{{craft:${label}}}` },
    });
    const codes = (...nodes: GraphInput['nodes']): string[] =>
      compileGraph({
        nodes,
        edges: nodes.slice(1).map((_node, at) => ({ sourceIndex: at, targetIndex: at + 1 })),
      }).errors.map((problem) => problem.code);
    expect(codes(craft('a'), message('a'))).to.deep.equal([]);
    expect(codes(craft('a'), message('b'))).to.deep.equal(['unknown_craft']);
    expect(codes(message('a'), craft('a'))).to.deep.equal(['unknown_craft']);
    expect(codes(craft('a'), craft('a'), message('a'))).to.deep.equal(['ambiguous_craft']);
  });

  it('a bad config names its path', () => {
    const message = (nodeType: string, config: Record<string, unknown>) =>
      compileGraph({ nodes: [{ nodeType, config }], edges: [] })
        .errors.map((problem) => problem.message)
        .join();
    expect(message('flow:split', { branches: [{ name: 'a' }, { name: '' }] })).to.contain('config.branches.1.name');
    expect(message('flow:split', { branches: [{ name: 'a' }, { name: 'b' }], mode: 'bandit' })).to.not.contain(
      'config',
    );
    expect(message('network:message', { textMode: 'craft', text: 'x' })).to.contain('ai:craft');
    expect(message('network:message', {})).to.contain('config.text');
    expect(message('network:connection_request', { noteMode: 'static', noteTemplate: 'x'.repeat(301) })).to.contain(
      '300',
    );
    expect(message('network:connection_request', { noteMode: 'static', noteTemplate: '{{lead:shoe}}' })).to.contain(
      '{{lead:shoe}}',
    );
    expect(message('flow:wait', { waitType: 'forever' })).to.contain('waitType');
    expect(message('flow:condition', { rules: [{ field: 'lead.shoe', op: 'eq', value: 1 }] })).to.contain('lead.shoe');
    expect(message('network:profile_view', { foo: 1 })).to.contain('foo');
    expect(message('lead:tag', {})).to.contain('tag');
  });

  it('edges: index, unknown branch, no branch to default to, one per branch, none into a source', () => {
    expect(codesOf([view, view], [[0, 2]])).to.deep.equal(['edge_index']);
    expect(codesOf([view, view], [[-1, 1]])).to.deep.equal(['edge_index']);
    expect(codesOf([view, view], [[0.5, 1]])).to.deep.equal(['edge_index']);
    expect(codesOf([view, view], [[0, 1, 'maybe']])).to.deep.equal(['unknown_branch']);
    expect(codesOf([{ nodeType: 'flow:end' }, view], [[0, 1]])).to.deep.equal(['unknown_branch']);
    const split = { nodeType: 'flow:split', config: { branches: [{ name: 'a' }, { name: 'b' }] } };
    expect(codesOf([split, view], [[0, 1]]), 'it has no default').to.deep.equal(['missing_outcome_branch']);
    expect(
      codesOf(
        [view, view, view],
        [
          [0, 1],
          [0, 2, 'done'],
        ],
      ),
    ).to.deep.equal(['duplicate_branch']);
    expect(codesOf([view, { nodeType: 'source:manual' }], [[0, 1]])).to.deep.equal(['edge_into_source']);
  });

  it('structure: cycles, unreachable nodes, empty and too big graphs, sources that feed nobody', () => {
    expect(
      codesOf(
        [join, join, join],
        [
          [0, 1],
          [1, 2],
          [2, 1],
        ],
      ),
    ).to.deep.equal(['cycle', 'cycle']);
    expect(codesOf([join], [[0, 0]])).to.deep.equal(['cycle']);
    expect(codesOf([view, view], [])).to.deep.equal(['unreachable']);
    expect(codesOf([view, { nodeType: 'source:manual' }, view], [[1, 0]])).to.deep.equal(['unreachable']);
    expect(codesOf([], [])).to.deep.equal(['empty_graph']);
    expect(
      codesOf(
        Array.from({ length: 201 }, () => join),
        [],
      ),
    ).to.deep.equal(['too_many_nodes']);
    expect(
      codesOf(
        [join, join],
        Array.from({ length: 401 }, () => [0, 1] as [number, number]),
      ),
    ).to.deep.equal(['too_many_edges']);
    expect(codesOf([{ nodeType: 'source:manual' }], [])).to.deep.equal(['missing_outcome_branch']);
    expect(codesOf([{ nodeType: 'source:entry' }], [])).to.deep.equal(['hidden_node']);
  });

  it('node ids: DNS labels, unique, assigned ones never collide with given ones', () => {
    expect(codesOf([{ ...view, nodeId: 'A b' }], [])).to.deep.equal(['bad_node_id']);
    expect(
      codesOf(
        [
          { ...view, nodeId: 'a' },
          { ...view, nodeId: 'a' },
        ],
        [[0, 1]],
      ),
    ).to.deep.equal(['duplicate_node_id']);
    const nodes = [{ ...join, label: 'Größe' }, { ...join, label: 'grosse' }, { ...join, nodeId: 'flow-join' }, join];
    const edges = [0, 1, 2].map((at) => ({ sourceIndex: at, targetIndex: at + 1 }));
    const ids = compileGraph({ nodes, edges }).graph?.nodes.map((node) => node.nodeId);
    expect(ids).to.deep.equal(['grosse', 'grosse-2', 'flow-join', 'flow-join-2']);
  });

  it('a review needs a send behind its branch approved', () => {
    const review = { nodeType: 'flow:review' };
    expect(codesOf([review, view], [[0, 1]])).to.deep.equal(['review_without_send']);
    expect(codesOf([review, say], [[0, 1, 'rejected']])).to.deep.equal(['review_without_send']);
    expect(
      codesOf(
        [review, join, say],
        [
          [0, 1],
          [1, 2],
        ],
      ),
    ).to.deep.equal([]);
  });

  it('every arm of a split leads somewhere; a version that was taken without it goes on and is warned of', () => {
    const split = { nodeType: 'flow:split', config: { branches: [{ name: 'a' }, { name: 'b' }] } };
    const graph = { nodes: [split, view], edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'a' }] };
    const refused = compileGraph(graph);
    expect(refused.errors.map((problem) => problem.code)).to.deep.equal(['missing_outcome_branch']);
    expect(refused.errors[0]?.message).to.contain('"b"').and.contain('flow:end');
    const kept = compileGraph(graph, { inForce: true });
    expect([kept.errors, kept.compiled?.nodeCount]).to.deep.equal([[], 3]);
    expect(kept.warnings.map((problem) => problem.code)).to.deep.equal(['missing_outcome_branch']);
    const closed = [...graph.edges, { sourceIndex: 0, targetIndex: 1, branch: 'b' }];
    expect(compileGraph({ ...graph, edges: closed })).to.deep.include({ errors: [], warnings: [] });
  });

  it('warns when a wait for a connection leads nowhere once it is accepted', () => {
    const wait = { nodeType: 'network:wait_connection' };
    const { errors, warnings } = compileGraph({
      nodes: [wait, view],
      edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'timed_out' }],
    });
    expect([errors, warnings.map((problem) => problem.code)]).to.deep.equal([[], ['runs_end_here']]);
  });

  it('property: any wiring gives errors by position or a graph without cycles that reaches everything, never a throw', () => {
    const edge = fc.tuple(
      fc.integer({ min: -1, max: 6 }),
      fc.integer({ min: -1, max: 6 }),
      fc.constantFrom(undefined, 'next', 'true', 'false', 'x'),
    );
    const node = fc.constantFrom(
      join,
      { nodeType: 'source:manual' },
      { nodeType: 'flow:condition', config: { rules: [{ field: 'lead.title', op: 'exists' }] } },
    );
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), fc.array(edge, { maxLength: 8 }), (nodes, edges) => {
        const given = edges.map(([sourceIndex, targetIndex, branch]) => ({ sourceIndex, targetIndex, branch }));
        const { compiled, graph, errors } = compileGraph({ nodes, edges: given });
        if (errors.length > 0) {
          expect([compiled, graph]).to.deep.equal([null, null]);
          return;
        }
        let steps = 0;
        const walk = (id: string): void => {
          expect(++steps).to.be.below(10_000);
          for (const next of compiled?.byId.get(id)?.next.values() ?? []) walk(next);
        };
        walk(compiled?.entryNodeId ?? '');
        expect(compiled?.nodeCount).to.equal(nodes.length + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('the vocabulary lists what works, with a hint for every config and its budget', () => {
    const entries = nodeVocabulary();
    expect(entries.map((entry) => entry.nodeType)).to.deep.equal([...NODE_TYPES.keys()]);
    expect(entries.find((entry) => entry.nodeType === 'network:connection_request')).to.deep.include({
      budget: 'connection_request',
      reviewable: true,
      defaultOutcome: 'sent',
    });
    for (const type of NODE_TYPES.values()) {
      if (type.kind !== 'effect' || type.nodeType === 'network:message') continue;
      const parsed = type.config.safeParse({});
      const { budget } = entries.find((entry) => entry.nodeType === type.nodeType) ?? {};
      if (parsed.success) expect(type.budgets(parsed.data as never)[0]).to.equal(budget);
    }
  });
});
