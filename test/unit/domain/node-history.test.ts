import { expect } from 'chai';
import fc from 'fast-check';
import { type DraftNode, keepNodeIds, type NodeHistory } from '../../../pkg/domain/node-history.ts';

const node = (nodeType: string, label = '', nodeId?: string): DraftNode => ({ nodeType, label, config: {}, nodeId });
const graphOf = (...nodes: [string, string, string?][]): NodeHistory => {
  const stored = nodes.map(([nodeId, nodeType, label = '']) => ({ nodeId, nodeType, label, config: {} }));
  return { previous: { nodes: stored, edges: [] }, used: new Set(stored.map((one) => one.nodeId)), sent: new Set() };
};
const ids = (nodes: DraftNode[], history: NodeHistory): string[] =>
  keepNodeIds(nodes, history).nodes.map((one) => one.nodeId);

describe('identity of nodes over edits', () => {
  it('matches by nodeId, whatever else changed', () => {
    expect(ids([node('network:message', 'New', 'a')], graphOf(['a', 'network:message', 'Old']))).to.deep.equal(['a']);
  });

  it('matches by unique label and type, also when the order changed', () => {
    const history = graphOf(['a', 'flow:wait', 'Wait'], ['b', 'network:message', 'Hi']);
    expect(ids([node('network:message', 'Hi'), node('flow:wait', 'Wait')], history)).to.deep.equal(['b', 'a']);
  });

  it('a node without a label matches when its type is unique', () => {
    expect(ids([node('network:message')], graphOf(['a', 'network:message']))).to.deep.equal(['a']);
  });

  it('two of one look are new, and never take the id of an older node', () => {
    const history = graphOf(['hi', 'network:message', 'Hi']);
    expect(ids([node('network:message', 'Hi'), node('network:message', 'Hi')], history)).to.deep.equal([
      'hi-2',
      'hi-3',
    ]);
  });

  it('an id that any earlier version used is never given to a new node', () => {
    const history = { previous: null, used: new Set(['hi']), sent: new Set<string>() };
    expect(ids([node('network:message', 'Hi')], history)).to.deep.equal(['hi-2']);
  });

  it('NodeIdentityLost: names the nodes with sends that the edit loses or makes ambiguous', () => {
    const history = { ...graphOf(['a', 'network:message', 'Hi'], ['b', 'flow:wait']), sent: new Set(['a', 'b']) };
    expect(keepNodeIds([node('network:message', 'Hello')], history).lost).to.deep.equal(['a', 'b']);
    const twins = [node('network:message', 'Hi'), node('network:message', 'Hi'), node('flow:wait')];
    expect(keepNodeIds(twins, history).lost).to.deep.equal(['a']);
    expect(keepNodeIds([node('network:message', 'Hello', 'a'), node('flow:wait')], history).lost).to.deep.equal([]);
  });

  it('ids are unique DNS labels, and writing a graph back changes none', () => {
    const drafts = fc.array(
      fc.record({ nodeType: fc.constantFrom('network:message', 'flow:wait'), label: fc.string({ maxLength: 20 }) }),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(drafts, (list) => {
        const empty = { previous: null, used: new Set<string>(), sent: new Set<string>() };
        const first = keepNodeIds(
          list.map(({ nodeType, label }) => node(nodeType, label)),
          empty,
        ).nodes;
        const given = first.map((one) => one.nodeId);
        expect(new Set(given).size).to.equal(list.length);
        for (const id of given) expect(id).to.match(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
        const history = { previous: { nodes: first, edges: [] }, used: new Set(given), sent: new Set(given) };
        expect(keepNodeIds(first, history)).to.deep.equal({ nodes: first, lost: [] });
      }),
    );
  });
});
