import { expect } from 'chai';
import type { AnyNodeType } from '../../pkg/nodes/node-type.ts';
import { NODE_TYPES } from '../../pkg/nodes/registry.ts';
import { CATALOG } from './catalog.ts';

describe('contract: node types against the catalog', () => {
  it('the vocabulary has the types of the catalog, and no other', () => {
    expect([...NODE_TYPES.keys()].sort()).to.deep.equal(CATALOG.nodeTypes.map(({ nodeType }) => nodeType).sort());
  });

  for (const wanted of CATALOG.nodeTypes) {
    it(`${wanted.nodeType}: what it does, its outcomes, its budget, and whether a person reviews it`, () => {
      const type = NODE_TYPES.get(wanted.nodeType);
      if (!type) throw new Error('not built');
      expect([type.what, type.defaultOutcome]).to.deep.equal([wanted.what, wanted.defaultOutcome ?? null]);
      // The arms of a split are what its config says.
      if (typeof type.outcomes !== 'function')
        expect([...type.outcomes].sort()).to.deep.equal([...wanted.outcomes].sort());
      expect([budgetOf(type), type.kind === 'effect' && type.reviewable]).to.deep.equal([
        wanted.budget,
        wanted.reviewable ?? false,
      ]);
    });
  }
});

/** The budget that a type spends whatever its config says; a noted request spends another beside it. */
function budgetOf(type: AnyNodeType): string | undefined {
  if (type.kind === 'call') return type.budget ?? undefined;
  return type.kind === 'effect' ? type.budgets({} as never)[0] : undefined;
}
